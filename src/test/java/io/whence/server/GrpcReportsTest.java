package io.whence.server;

import static io.whence.server.ResolverServiceTest.atOrAfter;
import static io.whence.server.ResolverServiceTest.query;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.netty.handler.codec.http2.Http2Error;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.whence.app.GrpcServerHandle;
import io.whence.grpc.CallRunner;
import io.whence.v1.AppendEntry;
import io.whence.v1.AppendRequest;
import io.whence.v1.DescribeTopicRequest;
import io.whence.v1.ListTopicsRequest;
import io.whence.v1.RecordData;
import io.whence.v1.ResolveTimestampRequest;
import io.whence.v1.ResolverServiceGrpc;
import jakarta.inject.Inject;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What went wrong in other gRPC servers, as reported in public, where it takes faults made on
 * purpose; the rest is in {@link GrpcReportsProcessIT}.
 */
@QuarkusTest
@TestProfile(ServerTestProfile.class)
class GrpcReportsTest {
  private static final int TRIES = 10;

  /** Far below the deadline of a call that gives none. */
  private static final Duration AT_ONCE = Duration.ofSeconds(2);

  @Inject GrpcServerHandle server;
  @Inject FakeResolver resolver;
  @Inject CallRunner runner;

  @TestHTTPResource("/q/metrics")
  URI metrics;

  private Client client;

  @BeforeEach
  void closeGate() {
    client = new Client(server.port());
    for (String topic : new String[] {FakeResolver.GATE, FakeSource.BROKEN}) {
      if (client.log.listTopics(ListTopicsRequest.getDefaultInstance()).getTopicsList().stream()
          .noneMatch(known -> known.getTopic().equals(topic))) {
        client.topic(topic, 1);
      }
    }
    resolver.gate.close();
  }

  @AfterEach
  void openGate() throws InterruptedException {
    resolver.gate.open();
    await(() -> runner.callsInFlight() == 0);
    client.close();
  }

  @Test
  void resetOfOneCall_countedCancelled() throws Exception {
    double before = cancelled();
    try (RawHttp2 connection = new RawHttp2(server.port())) {
      RawHttp2.Call call =
          connection.call(
              ResolverServiceGrpc.getResolveTimestampMethod().getFullMethodName(),
              gated().toByteArray());
      await(() -> resolver.waiting.get() == 1);

      call.reset(Http2Error.NO_ERROR);

      await(() -> cancelled() == before + 1);
      await(() -> resolver.waiting.get() == 0);
    }
  }

  @Test
  void deadline_endsWorkInTime() {
    long best = Long.MAX_VALUE;
    for (int i = 0; i < TRIES; i++) {
      long begun = System.nanoTime();
      StatusRuntimeException failure =
          Client.failure(
              () ->
                  client
                      .resolver
                      .withDeadlineAfter(50, TimeUnit.MILLISECONDS)
                      .resolveTimestamp(gated()));
      assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
      await(() -> resolver.waiting.get() == 0 && runner.callsInFlight() == 0);
      best = Math.min(best, System.nanoTime() - begun);
    }
    assertThat(Duration.ofNanos(best)).isBetween(Duration.ofMillis(49), AT_ONCE);
  }

  @Test
  void faultOfLookups_toldAtOnce() {
    assertInternalAtOnce(
        () ->
            client.log.describeTopic(
                DescribeTopicRequest.newBuilder().setTopic(FakeSource.EXPLODING).build()));
  }

  private void assertInternalAtOnce(Runnable call) {
    long best = Long.MAX_VALUE;
    for (int i = 0; i < TRIES; i++) {
      long begun = System.nanoTime();
      StatusRuntimeException failure = Client.failure(call);
      best = Math.min(best, System.nanoTime() - begun);
      assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.INTERNAL);
    }
    assertThat(Duration.ofNanos(best)).isLessThan(AT_ONCE);
  }

  @Test
  void faultOfWrites_toldAtOnce() {
    AppendRequest append = append(new byte[1], FakeSource.BROKEN);
    long best = Long.MAX_VALUE;
    for (int i = 0; i < TRIES; i++) {
      long begun = System.nanoTime();
      assertThat(client.log.append(append).getResults(0).getError().getReason().name())
          .isEqualTo("ERROR_REASON_INTERNAL");
      best = Math.min(best, System.nanoTime() - begun);
    }
    assertThat(Duration.ofNanos(best)).isLessThan(AT_ONCE);
  }

  @Test
  void tooLargeRequest_isNotToBeRetried() {
    AppendRequest append = append(new byte[5_000_000], FakeResolver.GATE);

    StatusRuntimeException failure = Client.failure(() -> client.log.append(append));

    assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    assertThat(failure)
        .hasMessageContaining("4194304")
        .hasMessageContaining(String.valueOf(append.getSerializedSize()));
    // Who wants it tried again says when, in a RetryInfo.
    assertThat(StatusProto.fromThrowable(failure).getDetailsList()).isEmpty();
  }

  private static AppendRequest append(byte[] value, String topic) {
    return AppendRequest.newBuilder()
        .addEntries(
            AppendEntry.newBuilder()
                .setTopic(topic)
                .addRecords(
                    RecordData.newBuilder()
                        .setTimestampMs(ServerTestProfile.NOW_MS)
                        .setValue(ByteString.copyFrom(value))))
        .build();
  }

  private double cancelled() throws Exception {
    HttpRequest request = HttpRequest.newBuilder(metrics).timeout(Duration.ofSeconds(10)).build();
    return HttpClient.newHttpClient()
        .send(request, HttpResponse.BodyHandlers.ofString())
        .body()
        .lines()
        .filter(line -> line.startsWith("whence_calls_seconds_count"))
        .filter(line -> line.contains("\"ResolveTimestamp\"") && line.contains("\"CANCELLED\""))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  private static ResolveTimestampRequest gated() {
    return ResolveTimestampRequest.newBuilder()
        .addQueries(query(FakeResolver.GATE, atOrAfter(ServerTestProfile.NOW_MS), 0))
        .build();
  }

  private static void await(Callable<Boolean> condition) {
    Awaitility.await()
        .pollInterval(Duration.ofMillis(2))
        .atMost(Duration.ofSeconds(30))
        .until(condition);
  }
}
