package io.whence.server;

import static io.whence.server.ResolverServiceTest.atOrAfter;
import static io.whence.server.ResolverServiceTest.query;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.rpc.RetryInfo;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.whence.app.GrpcServerHandle;
import io.whence.grpc.CallLane;
import io.whence.grpc.CallRunner;
import io.whence.v1.AppendEntry;
import io.whence.v1.AppendRequest;
import io.whence.v1.CommitEntry;
import io.whence.v1.CommitOffsetRequest;
import io.whence.v1.ListTopicsRequest;
import io.whence.v1.LogServiceGrpc;
import io.whence.v1.RecordData;
import io.whence.v1.ResolveTimestampRequest;
import io.whence.v1.ResolverServiceGrpc;
import io.whence.v1.TrimEntry;
import io.whence.v1.TrimLogRequest;
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

/** Lookups beside writes, and one client beside another, on a server that has enough to do. */
@QuarkusTest
@TestProfile(ServerTestProfile.class)
class LanesTest {
  private static final int ROOM = ServerTestProfile.THREADS + ServerTestProfile.QUEUE;
  private static final String QUIET = "quiet";

  @Inject GrpcServerHandle server;
  @Inject FakeResolver resolver;
  @Inject CallRunner runner;

  private Client greedy;
  private Client second;
  private Client modest;

  @BeforeEach
  void closeGates() {
    greedy = new Client(server.port());
    second = new Client(server.port());
    modest = new Client(server.port());
    createOnce(FakeResolver.GATE);
    createOnce(FakeSource.GATED_TRIMS);
    createOnce(QUIET);
    resolver.gate.close();
    FakeSource.TRIMS.close();
  }

  @AfterEach
  void openGates() throws InterruptedException {
    resolver.gate.open();
    FakeSource.TRIMS.open();
    await(() -> runner.callsInFlight() == 0);
    greedy.close();
    second.close();
    modest.close();
  }

  @Test
  void lookupsFillTheirLane_writesAreAnswered() {
    List<ListenableFuture<?>> calls = new ArrayList<>();
    for (int i = 0; i < ROOM; i++) {
      calls.add(ResolverServiceGrpc.newFutureStub(either(i).channel).resolveTimestamp(gated()));
      int waiting = i + 1;
      await(() -> runner.callsInFlight(CallLane.LOOKUPS) == waiting);
      int busy = Math.min(waiting, ServerTestProfile.THREADS);
      await(() -> resolver.waiting.get() == busy);
    }

    assertOverloaded(() -> modest.resolver.resolveTimestamp(gated()));
    assertThat(
            modest
                .log
                .withDeadlineAfter(60, TimeUnit.SECONDS)
                .append(append())
                .getResults(0)
                .hasRange())
        .isTrue();
    assertThat(
            modest
                .groups
                .withDeadlineAfter(60, TimeUnit.SECONDS)
                .commitOffset(commit())
                .getResults(0)
                .hasError())
        .isFalse();
    assertThat(calls).noneMatch(ListenableFuture::isDone);
  }

  @Test
  void writesFillTheirLane_lookupsAreAnswered() {
    List<ListenableFuture<?>> calls = new ArrayList<>();
    for (int i = 0; i < ROOM; i++) {
      calls.add(LogServiceGrpc.newFutureStub(either(i).channel).trimLog(trim()));
      int waiting = i + 1;
      await(() -> runner.callsInFlight(CallLane.WRITES) == waiting);
      int busy = Math.min(waiting, ServerTestProfile.THREADS);
      await(() -> FakeSource.TRIMS_WAITING.get() == busy);
    }

    assertOverloaded(() -> modest.log.append(append()));
    assertThat(
            modest
                .resolver
                .withDeadlineAfter(60, TimeUnit.SECONDS)
                .resolveTimestamp(
                    ResolveTimestampRequest.newBuilder()
                        .addQueries(query(QUIET, atOrAfter(ServerTestProfile.NOW_MS), 0))
                        .build())
                .getResultsCount())
        .isEqualTo(1);
    assertThat(calls).noneMatch(ListenableFuture::isDone);
  }

  @Test
  void greedyConnection_isTurnedAwayAndAModestOneIsAnswered() throws Exception {
    for (int i = 0; i < ServerTestProfile.CALLS_PER_CONNECTION; i++) {
      ListenableFuture<?> unused =
          ResolverServiceGrpc.newFutureStub(greedy.channel).resolveTimestamp(gated());
    }
    await(() -> runner.callsInFlight() == ServerTestProfile.CALLS_PER_CONNECTION);

    assertOverloaded(() -> greedy.resolver.resolveTimestamp(gated()));
    assertOverloaded(() -> greedy.log.append(append()));
    ListenableFuture<?> asked =
        ResolverServiceGrpc.newFutureStub(modest.channel).resolveTimestamp(gated());
    await(() -> runner.callsInFlight() == ServerTestProfile.CALLS_PER_CONNECTION + 1);
    resolver.gate.open();

    assertThat(asked.get(60, TimeUnit.SECONDS)).isNotNull();
  }

  private Client either(int number) {
    return number % 2 == 0 ? greedy : second;
  }

  private static void assertOverloaded(Runnable call) {
    StatusRuntimeException failure = Client.failure(call);
    assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    assertThat(Client.reason(failure)).isEqualTo("OVERLOADED");
    assertThat(Client.detail(failure, RetryInfo.class).hasRetryDelay()).isTrue();
  }

  private static ResolveTimestampRequest gated() {
    return ResolveTimestampRequest.newBuilder()
        .addQueries(query(FakeResolver.GATE, atOrAfter(ServerTestProfile.NOW_MS), 0))
        .build();
  }

  private static TrimLogRequest trim() {
    return TrimLogRequest.newBuilder()
        .addEntries(TrimEntry.newBuilder().setTopic(FakeSource.GATED_TRIMS).setBeforeOffset(0))
        .build();
  }

  private static AppendRequest append() {
    return AppendRequest.newBuilder()
        .addEntries(
            AppendEntry.newBuilder()
                .setTopic(QUIET)
                .addRecords(RecordData.newBuilder().setTimestampMs(ServerTestProfile.NOW_MS)))
        .build();
  }

  private static CommitOffsetRequest commit() {
    return CommitOffsetRequest.newBuilder()
        .addEntries(CommitEntry.newBuilder().setGroup("lanes").setTopic(QUIET).setNextOffset(0))
        .build();
  }

  private void createOnce(String name) {
    if (greedy.log.listTopics(ListTopicsRequest.getDefaultInstance()).getTopicsList().stream()
        .noneMatch(topic -> topic.getTopic().equals(name))) {
      greedy.topic(name, 1);
    }
  }

  private static void await(Callable<Boolean> condition) {
    Awaitility.await()
        .pollInterval(Duration.ofMillis(5))
        .atMost(Duration.ofSeconds(60))
        .until(condition);
  }
}
