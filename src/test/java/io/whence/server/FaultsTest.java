package io.whence.server;

import static io.whence.server.ResolverServiceTest.atOrAfter;
import static io.whence.server.ResolverServiceTest.query;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.protobuf.ByteString;
import com.google.rpc.RetryInfo;
import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.netty.handler.codec.http2.Http2Error;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.whence.app.GrpcServerHandle;
import io.whence.grpc.CallRunner;
import io.whence.testkit.BytesMarshaller;
import io.whence.v1.AppendEntry;
import io.whence.v1.AppendRequest;
import io.whence.v1.DescribeTopicRequest;
import io.whence.v1.ErrorReason;
import io.whence.v1.ListTopicsRequest;
import io.whence.v1.Outcome;
import io.whence.v1.RecordData;
import io.whence.v1.ResolveTimestampRequest;
import io.whence.v1.ResolveTimestampResponse;
import io.whence.v1.ResolverServiceGrpc;
import io.whence.v1.TimestampAnswer;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QuarkusTest
@TestProfile(ServerTestProfile.class)
class FaultsTest {
  private static final String RESOLVE =
      ResolverServiceGrpc.getResolveTimestampMethod().getFullMethodName();

  @Inject GrpcServerHandle server;
  @Inject FakeResolver resolver;
  @Inject CallRunner runner;

  private Client client;

  @BeforeEach
  void closeGate() {
    client = new Client(server.port());
    createOnce(FakeResolver.GATE);
    createOnce(FakeSource.BROKEN);
    createOnce(FakeSource.DAMAGED);
    resolver.gate.close();
  }

  @AfterEach
  void openGate() throws InterruptedException {
    resolver.gate.open();
    await(() -> runner.callsInFlight() == 0);
    client.close();
  }

  @Test
  void fault_failsItsPartitionOnly() {
    ResolveTimestampResponse response =
        client.resolver.resolveTimestamp(
            ResolveTimestampRequest.newBuilder()
                .addQueries(query(FakeSource.BROKEN, atOrAfter(ServerTestProfile.NOW_MS), 0))
                .addQueries(query(FakeSource.DAMAGED, atOrAfter(ServerTestProfile.NOW_MS), 0))
                .build());
    TimestampAnswer broken = response.getResults(0).getAnswers(0);
    TimestampAnswer damaged = response.getResults(1).getAnswers(0);
    assertThat(broken.getOutcome()).isEqualTo(Outcome.OUTCOME_FAILED);
    assertThat(broken.getError().getReason()).isEqualTo(ErrorReason.ERROR_REASON_INTERNAL);
    assertThat(broken.getError().getMessage()).doesNotContain("secret", "IllegalState");
    assertThat(damaged.getError().getReason()).isEqualTo(ErrorReason.ERROR_REASON_DAMAGED_LOG);
    assertThat(damaged.getError().getMetadataMap()).containsEntry("position", "17");
  }

  @Test
  void faultOfCall_internalWithoutDetails() {
    StatusRuntimeException failure =
        Client.failure(
            () ->
                client.log.describeTopic(
                    DescribeTopicRequest.newBuilder().setTopic(FakeSource.EXPLODING).build()));
    assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.INTERNAL);
    assertThat(failure.getStatus().getDescription()).doesNotContain("secret", "IllegalState");
    assertThat(Client.reason(failure)).isEqualTo("INTERNAL");
  }

  @Test
  void fullServer_turnsCallsAway() throws Exception {
    int room = ServerTestProfile.THREADS + ServerTestProfile.QUEUE;
    try (Client other = new Client(server.port())) {
      fill(room, other);
    }
  }

  private void fill(int room, Client other) throws Exception {
    List<ListenableFuture<ResolveTimestampResponse>> calls = new ArrayList<>();
    for (int i = 0; i < room; i++) {
      Client either = i % 2 == 0 ? client : other;
      calls.add(ResolverServiceGrpc.newFutureStub(either.channel).resolveTimestamp(gated()));
      // The queue must not be full before the workers have taken theirs out of it.
      int busy = Math.min(i + 1, ServerTestProfile.THREADS);
      await(() -> resolver.waiting.get() == busy);
    }
    await(() -> runner.callsInFlight() == room);
    StatusRuntimeException failure =
        Client.failure(() -> client.resolver.resolveTimestamp(gated()));
    assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    assertThat(Client.reason(failure)).isEqualTo("OVERLOADED");
    assertThat(Client.detail(failure, RetryInfo.class).getRetryDelay().getNanos()).isPositive();
    resolver.gate.open();
    for (ListenableFuture<ResolveTimestampResponse> call : calls) {
      assertThat(call.get(60, TimeUnit.SECONDS).getResultsCount()).isEqualTo(1);
    }
  }

  @Test
  void deadline_stopsWork() {
    int before = resolver.stopped.get();
    StatusRuntimeException failure =
        Client.failure(
            () ->
                client
                    .resolver
                    .withDeadlineAfter(150, TimeUnit.MILLISECONDS)
                    .resolveTimestamp(gated()));
    assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
    await(() -> resolver.waiting.get() == 0 && runner.callsInFlight() == 0);
    assertThat(resolver.stopped.get() - before).isLessThanOrEqualTo(1);
  }

  @Test
  void cancelledCalls_stopOrNeverStart() {
    List<ListenableFuture<ResolveTimestampResponse>> calls = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      calls.add(ResolverServiceGrpc.newFutureStub(client.channel).resolveTimestamp(gated()));
    }
    await(() -> runner.callsInFlight() == 20);
    calls.forEach(call -> call.cancel(true));
    await(() -> runner.callsInFlight() == 0);
    assertThat(resolver.waiting.get()).isZero();
  }

  @Test
  void resetStreams_leaveNeighboursAlone() throws Exception {
    try (RawHttp2 connection = new RawHttp2(server.port())) {
      for (Http2Error error :
          List.of(Http2Error.NO_ERROR, Http2Error.CANCEL, Http2Error.INTERNAL_ERROR)) {
        resolver.gate.close();
        List<RawHttp2.Call> calls = new ArrayList<>();
        for (int i = 0; i < 22; i++) {
          calls.add(connection.call(RESOLVE, gated().toByteArray()));
        }
        await(() -> runner.callsInFlight() == 22);
        // One that is in work, and one that waits.
        calls.remove(11).reset(error);
        calls.remove(0).reset(error);
        await(() -> runner.callsInFlight() <= 21);
        resolver.gate.open();
        for (RawHttp2.Call call : calls) {
          assertThat(call.status().get(60, TimeUnit.SECONDS)).isEqualTo("0");
        }
        assertThat(connection.isOpen()).isTrue();
      }
    }
  }

  @Test
  void oversizedRequest_refusedWithBothNumbers() {
    AppendRequest request =
        AppendRequest.newBuilder()
            .addEntries(
                AppendEntry.newBuilder()
                    .setTopic(FakeResolver.GATE)
                    .addRecords(
                        RecordData.newBuilder().setValue(ByteString.copyFrom(new byte[9_000_000]))))
            .build();
    StatusRuntimeException failure = Client.failure(() -> client.log.append(request));
    assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    assertThat(failure)
        .hasMessageContaining("4194304")
        .hasMessageContaining(String.valueOf(request.getSerializedSize()));
    assertThat(client.log.listTopics(ListTopicsRequest.getDefaultInstance()).getTopicsCount())
        .isPositive();
  }

  @Test
  void garbageRequest_refused() {
    StatusRuntimeException failure = Client.failure(() -> raw(RESOLVE, new byte[] {10, 127, 1}));
    assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(Client.reason(failure)).isEqualTo("INVALID_ARGUMENT");
    assertThat(client.log.listTopics(ListTopicsRequest.getDefaultInstance()).getTopicsCount())
        .isPositive();
  }

  @Test
  void unknownMethod_unimplemented() {
    StatusRuntimeException failure =
        Client.failure(() -> raw("whence.v1.ResolverService/Guess", new byte[0]));
    assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.UNIMPLEMENTED);
  }

  private void raw(String method, byte[] message) {
    MethodDescriptor<byte[], byte[]> descriptor =
        MethodDescriptor.newBuilder(new BytesMarshaller(), new BytesMarshaller())
            .setFullMethodName(method)
            .setType(MethodDescriptor.MethodType.UNARY)
            .build();
    ClientCalls.blockingUnaryCall(client.channel, descriptor, CallOptions.DEFAULT, message);
  }

  private void createOnce(String name) {
    if (client.log.listTopics(ListTopicsRequest.getDefaultInstance()).getTopicsList().stream()
        .noneMatch(topic -> topic.getTopic().equals(name))) {
      client.topic(name, 1);
    }
  }

  private static ResolveTimestampRequest gated() {
    return ResolveTimestampRequest.newBuilder()
        .addQueries(query(FakeResolver.GATE, atOrAfter(ServerTestProfile.NOW_MS), 0))
        .build();
  }

  private static void await(Callable<Boolean> condition) {
    Awaitility.await()
        .pollInterval(Duration.ofMillis(5))
        .atMost(Duration.ofSeconds(60))
        .until(condition);
  }
}
