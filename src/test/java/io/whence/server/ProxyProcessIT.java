package io.whence.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.ListenableFuture;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.whence.testkit.Directories;
import io.whence.testkit.HttpProxy;
import io.whence.v1.AppendEntry;
import io.whence.v1.AppendRequest;
import io.whence.v1.DescribeTopicRequest;
import io.whence.v1.Position;
import io.whence.v1.RecordData;
import io.whence.v1.ResolveTimestampRequest;
import io.whence.v1.ResolveTimestampResponse;
import io.whence.v1.ResolverServiceGrpc;
import io.whence.v1.TimePoint;
import io.whence.v1.TimestampQuery;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The packaged server behind real HTTP/2 proxies. */
class ProxyProcessIT {
  private static final long T = 1_717_200_000_000L;
  private static final int SHORT_DEADLINES = 200;
  private static final int NEIGHBOURS = 20;

  private static Path data;
  private static ServerProcess server;
  private static final Map<HttpProxy.Kind, HttpProxy> PROXIES = new EnumMap<>(HttpProxy.Kind.class);
  private static int topics;

  @BeforeAll
  static void start() {
    data = Directories.temporary("whence-proxy-data");
    server = ServerProcess.start(data);
    for (HttpProxy.Kind kind : HttpProxy.Kind.values()) {
      PROXIES.put(kind, HttpProxy.start(kind, server.grpcPort()));
    }
  }

  @AfterAll
  static void stop() {
    PROXIES.values().forEach(HttpProxy::close);
    server.close();
    Directories.delete(data);
  }

  @ParameterizedTest
  @EnumSource
  void lookups_allAnswered(HttpProxy.Kind kind) throws Exception {
    try (Client client = client(kind)) {
      String topic = topic(client);
      List<ListenableFuture<ResolveTimestampResponse>> calls = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        calls.add(ResolverServiceGrpc.newFutureStub(client.channel).resolveTimestamp(at(topic, T)));
      }
      for (ListenableFuture<ResolveTimestampResponse> call : calls) {
        assertThat(call.get(20, TimeUnit.SECONDS).getResults(0).getAnswers(0).getOffset())
            .isEqualTo(1);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void failure_keepsReason(HttpProxy.Kind kind) throws Exception {
    try (Client client = client(kind)) {
      StatusRuntimeException failure =
          Client.failure(
              () ->
                  client.log.describeTopic(
                      DescribeTopicRequest.newBuilder().setTopic("nowhere").build()));

      assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.NOT_FOUND);
      assertThat(Client.reason(failure)).isEqualTo("UNKNOWN_TOPIC");
    }
  }

  @ParameterizedTest
  @EnumSource
  void stream_answeredOneByOne(HttpProxy.Kind kind) throws Exception {
    try (Client client = client(kind)) {
      String topic = topic(client);
      OpenStream stream = new OpenStream(ResolverServiceGrpc.newStub(client.channel));
      for (int tag = 0; tag < 50; tag++) {
        stream.ask(tag, topic, T);
        // Each is waited for: nothing on the way may hold answers back.
        assertThat(stream.next().getTag()).isEqualTo(tag);
      }
      assertThat(stream.isOpen()).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource
  void deadlineThatTheServerKeeps_keepsItsStatus(HttpProxy.Kind kind) throws Exception {
    try (Client client = client(kind)) {
      ResolverServiceGrpc.ResolverServiceStub stub =
          ResolverServiceGrpc.newStub(client.channel)
              .withInterceptors(Client.deadlineOfServer("3S"));
      OpenWatch watch = OpenWatch.start(stub, topic(client), T + 50);

      assertThat(watch.next().hasStarted()).isTrue();
      assertThat(Client.reason(watch.failure())).isEqualTo("DEADLINE_EXCEEDED");
    }
  }

  @ParameterizedTest
  @EnumSource
  void cancelsAndDeadlines_leaveNeighboursAlone(HttpProxy.Kind kind) throws Exception {
    try (Client client = client(kind)) {
      String topic = topic(client);
      ResolverServiceGrpc.ResolverServiceStub stub = ResolverServiceGrpc.newStub(client.channel);
      List<OpenWatch> neighbours = watches(stub, topic);
      OpenStream stream = new OpenStream(stub);
      List<OpenWatch> cancelled = watches(stub, topic);
      List<OpenWatch> late = watches(stub.withDeadlineAfter(3, TimeUnit.SECONDS), topic);

      cancelled.forEach(OpenWatch::cancel);
      for (OpenWatch watch : late) {
        assertThat(watch.failure().getStatus().getCode()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
      }

      Awaitility.await()
          .atMost(Duration.ofSeconds(10))
          .until(() -> server.metric("whence_watches") == NEIGHBOURS);
      stream.ask(7, topic, T);
      assertThat(stream.next().getTag()).isEqualTo(7);
      append(client, topic, T + 100);
      for (OpenWatch watch : neighbours) {
        assertThat(watch.next().hasPartition()).isTrue();
      }
    }
    Awaitility.await()
        .atMost(Duration.ofSeconds(10))
        .until(() -> server.metric("whence_watches") == 0);
    assertThat(server.log()).doesNotContain("\tat ", "ERROR");
  }

  /** Frames behind a reset are an error of the connection to HAProxy, which ends all its calls. */
  @ParameterizedTest
  @EnumSource
  void manyShortDeadlines_leaveNeighboursAlone(HttpProxy.Kind kind) throws Exception {
    try (Client client = client(kind)) {
      String topic = topic(client);
      ResolverServiceGrpc.ResolverServiceStub stub = ResolverServiceGrpc.newStub(client.channel);
      List<OpenWatch> neighbours = watches(stub, topic);

      for (int i = 0; i < SHORT_DEADLINES; i++) {
        OpenWatch watch = OpenWatch.start(withDeadline(stub, kind, 5 + i % 40), topic, T + 50);
        watch.failure();
        assertThat(client.resolver.resolveTimestamp(at(topic, T)).getResultsCount()).isEqualTo(1);
      }

      append(client, topic, T + 100);
      for (OpenWatch watch : neighbours) {
        assertThat(watch.next().hasPartition()).isTrue();
      }
    }
  }

  /** That of the server alone; nginx waits for that of the client when it gets a reset at once. */
  private static ResolverServiceGrpc.ResolverServiceStub withDeadline(
      ResolverServiceGrpc.ResolverServiceStub stub, HttpProxy.Kind kind, int ms) {
    return kind == HttpProxy.Kind.NGINX
        ? stub.withDeadlineAfter(ms, TimeUnit.MILLISECONDS)
        : stub.withInterceptors(Client.deadlineOfServer(ms + "m"));
  }

  /** Starts watches of a moment to come; returns when the server has all. */
  private static List<OpenWatch> watches(ResolverServiceGrpc.ResolverServiceStub stub, String topic)
      throws InterruptedException {
    List<OpenWatch> watches = new ArrayList<>();
    for (int i = 0; i < NEIGHBOURS; i++) {
      watches.add(OpenWatch.start(stub, topic, T + 50));
    }
    for (OpenWatch watch : watches) {
      assertThat(watch.next().hasStarted()).isTrue();
    }
    return watches;
  }

  private static Client client(HttpProxy.Kind kind) {
    return new Client(PROXIES.get(kind).port());
  }

  private static String topic(Client client) {
    String topic = "orders-" + topics++;
    client.topic(topic, 1, T - 1, T, T + 1);
    return topic;
  }

  private static void append(Client client, String topic, long timestampMs) {
    client.log.append(
        AppendRequest.newBuilder()
            .addEntries(
                AppendEntry.newBuilder()
                    .setTopic(topic)
                    .addRecords(RecordData.newBuilder().setTimestampMs(timestampMs)))
            .build());
  }

  private static ResolveTimestampRequest at(String topic, long epochMs) {
    return ResolveTimestampRequest.newBuilder()
        .addQueries(
            TimestampQuery.newBuilder()
                .setTopic(topic)
                .addPartitions(0)
                .setPosition(
                    Position.newBuilder().setAtOrAfter(TimePoint.newBuilder().setEpochMs(epochMs))))
        .build();
  }
}
