package io.whence.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.netty.NettyChannelBuilder;
import io.whence.testkit.Directories;
import io.whence.v1.AppendEntry;
import io.whence.v1.AppendRequest;
import io.whence.v1.ListTopicsRequest;
import io.whence.v1.LogServiceGrpc;
import io.whence.v1.Position;
import io.whence.v1.ReadRequest;
import io.whence.v1.RecordData;
import io.whence.v1.ResolveTimestampRequest;
import io.whence.v1.ResolveTimestampResponse;
import io.whence.v1.ResolverServiceGrpc;
import io.whence.v1.TimePoint;
import io.whence.v1.TimestampQuery;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What went wrong in other gRPC servers, as reported in public, on ours as it ships. */
class GrpcReportsProcessIT {
  private static final long T = 1_717_200_000_000L;
  private static final int MANY_PARTITIONS = 20_000;
  private static final int CANCELLED = 5_000;
  private static final int CONNECTIONS = 5;
  private static final int RECORD_BYTES = 1_000_000;
  private static final int RECORDS = 8;

  private final Path data = Directories.temporary("whence-reports");

  @AfterEach
  void delete() {
    Directories.delete(data);
  }

  @Test
  void requestForTwentyThousandPartitions_answered() throws Exception {
    try (ServerProcess server = ServerProcess.start(data);
        Client client = server.client()) {
      client.topic("orders", 1, T);
      ResolveTimestampRequest.Builder request = ResolveTimestampRequest.newBuilder();
      for (int partition = 0; partition < MANY_PARTITIONS; partition++) {
        request.addQueries(
            TimestampQuery.newBuilder()
                .setTopic("a-topic-with-a-name-of-usual-length")
                .addPartitions(partition)
                .setPosition(
                    Position.newBuilder().setAtOrAfter(TimePoint.newBuilder().setEpochMs(T))));
      }
      assertThat(request.build().getSerializedSize()).isGreaterThan(1_000_000);

      ResolveTimestampResponse response = client.resolver.resolveTimestamp(request.build());

      assertThat(response.getResultsCount()).isEqualTo(MANY_PARTITIONS);
    }
  }

  @Test
  void largeAnswerOverLongWay_isNotHeldUpByWindows() throws Exception {
    try (ServerProcess server = ServerProcess.start(data);
        Client client = server.client()) {
      client.topic("large", 1);
      for (int i = 0; i < RECORDS; i++) {
        appendLarge(client);
      }
      try (DelayedLink link = new DelayedLink(server.grpcPort(), 20)) {
        ManagedChannel channel =
            NettyChannelBuilder.forAddress("127.0.0.1", link.port())
                .usePlaintext()
                .flowControlWindow(16 << 20)
                .maxInboundMessageSize(16 << 20)
                .build();
        double best = 0;
        for (int i = 0; i < 10; i++) {
          best = Math.max(best, megabytesPerSecond(channel));
        }
        channel.shutdownNow();
        // Windows of 64 KiB would allow 3.
        assertThat(best).isGreaterThan(10);
      }
    }
  }

  private static double megabytesPerSecond(ManagedChannel channel) {
    long begun = System.nanoTime();
    int bytes =
        LogServiceGrpc.newBlockingStub(channel)
            .withDeadlineAfter(60, TimeUnit.SECONDS)
            .read(
                ReadRequest.newBuilder()
                    .setTopic("large")
                    .setMaxBytes(RECORDS * RECORD_BYTES)
                    .build())
            .getSerializedSize();
    assertThat(bytes).isGreaterThanOrEqualTo(RECORDS * RECORD_BYTES);
    return bytes / 1e6 / ((System.nanoTime() - begun) / 1e9);
  }

  private static void appendLarge(Client client) {
    client.log.append(
        AppendRequest.newBuilder()
            .addEntries(
                AppendEntry.newBuilder()
                    .setTopic("large")
                    .addRecords(
                        RecordData.newBuilder()
                            .setTimestampMs(T)
                            .setValue(ByteString.copyFrom(new byte[RECORD_BYTES]))))
            .build());
  }

  @Test
  void cancelledWatches_areGoneSoon() throws Exception {
    try (ServerProcess server = ServerProcess.start(data);
        Client client = server.client()) {
      client.topic("orders", 1, T);
      List<OpenWatch> watches = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        watches.add(OpenWatch.start(ResolverServiceGrpc.newStub(client.channel), "orders", T + 50));
      }
      for (OpenWatch watch : watches) {
        assertThat(watch.next().hasStarted()).isTrue();
      }
      assertThat(server.metric("whence_watches")).isEqualTo(50);

      watches.forEach(OpenWatch::cancel);

      await(Duration.ofSeconds(30), () -> server.metric("whence_watches") == 0);
    }
  }

  /**
   * The check for blocked loops is Vert.x' own; a loaded machine may make a loop wait, but not each
   * time.
   */
  @Test
  void fiveThousandCallsCancelledAtOnce_blockNoEventLoop() throws Exception {
    int quiet = 0;
    for (int round = 0; round < 3 && quiet == 0; round++) {
      try (ServerProcess server =
          ServerProcess.start(
              data,
              "quarkus.vertx.max-event-loop-execute-time=500ms",
              "quarkus.vertx.warning-exception-time=500ms",
              "quarkus.vertx.blocked-thread-check-interval=20ms")) {
        String before = server.log();
        cancelMany(server);
        quiet += server.log().substring(before.length()).contains("has been blocked") ? 0 : 1;
      }
    }
    assertThat(quiet).isPositive();
  }

  private static void cancelMany(ServerProcess server) throws Exception {
    List<Client> clients = new ArrayList<>();
    List<ClientCall<?, ?>> calls = new ArrayList<>();
    for (int i = 0; i < CONNECTIONS; i++) {
      Client client = server.client();
      clients.add(client);
      for (int call = 0; call < CANCELLED / CONNECTIONS; call++) {
        calls.add(halfOpen(client, ResolverServiceGrpc.getResolveTimestampMethod()));
      }
    }
    String started = "whence_calls_seconds_count";
    calls.forEach(call -> call.cancel("a test", null));
    await(
        Duration.ofSeconds(60),
        () ->
            server
                    .get("/q/metrics")
                    .body()
                    .lines()
                    .filter(line -> line.startsWith(started) && line.contains("CANCELLED"))
                    .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                    .sum()
                >= CANCELLED);
    for (Client client : clients) {
      client.close();
    }
  }

  /** Starts a call whose request never comes; returns when its headers are on their way. */
  private static <Q, A> ClientCall<Q, A> halfOpen(Client client, MethodDescriptor<Q, A> method) {
    ClientCall<Q, A> call = client.channel.newCall(method, CallOptions.DEFAULT);
    call.start(new ClientCall.Listener<>() {}, new Metadata());
    call.request(1);
    return call;
  }

  @Test
  void clientsThatPing_areNotCutOff() throws Exception {
    // A client may ping every 10 s at the most, by gRPC's documentation; the default allows 5 s.
    try (ServerProcess server =
            ServerProcess.start(data, "whence.grpc.permit-keep-alive-time=50ms");
        RawHttp2 idle = new RawHttp2(server.grpcPort())) {
      for (int ping = 1; ping <= 30; ping++) {
        idle.pingAfter(Duration.ofMillis(100)).get(60, TimeUnit.SECONDS);
      }
      assertThat(idle.goAway()).isNotDone();
      assertThat(idle.isOpen()).isTrue();
    }
  }

  @Test
  void clientsThatPingTooOften_areToldSo() throws Exception {
    try (ServerProcess server = ServerProcess.start(data);
        RawHttp2 idle = new RawHttp2(server.grpcPort())) {
      for (int ping = 1; ping <= 10 && !idle.goAway().isDone(); ping++) {
        idle.ping();
      }
      assertThat(idle.goAway().get(60, TimeUnit.SECONDS)).isEqualTo("too_many_pings");
    }
  }

  @Test
  void start_tellsPortAndMode() throws Exception {
    try (ServerProcess server = ServerProcess.start(data);
        Client client = server.client()) {
      assertThat(client.log.listTopics(ListTopicsRequest.getDefaultInstance())).isNotNull();
      assertThat(server.log())
          .containsOnlyOnce(
              "gRPC listens: address=127.0.0.1:"
                  + server.grpcPort()
                  + " mode=separate-server security=plaintext\n");
    }
  }

  private static void await(Duration limit, Callable<Boolean> condition) {
    Awaitility.await().pollInterval(Duration.ofMillis(20)).atMost(limit).until(condition);
  }
}
