package io.whence.server;

import static org.assertj.core.api.Assertions.assertThat;

import grpc.health.v1.HealthOuterClass.HealthCheckRequest;
import grpc.health.v1.HealthOuterClass.HealthCheckResponse.ServingStatus;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import io.whence.testkit.Directories;
import io.whence.v1.AppendEntry;
import io.whence.v1.AppendRequest;
import io.whence.v1.AppendResponse;
import io.whence.v1.ListTopicsRequest;
import io.whence.v1.LogServiceGrpc;
import io.whence.v1.RecordData;
import io.whence.v1.ResolverServiceGrpc;
import io.whence.v1.StreamResolveTimestampRequest;
import io.whence.v1.StreamResolveTimestampResponse;
import io.whence.v1.TimePoint;
import io.whence.v1.WatchQuery;
import io.whence.v1.WatchTimestampRequest;
import io.whence.v1.WatchTimestampResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The orderly stop, and who may have a data directory. */
class StopProcessIT {
  private static final Path CLEAN = Path.of(".kafka_cleanshutdown");

  private final Path data = Directories.temporary("whence-stop");

  @AfterEach
  void delete() {
    Directories.delete(data);
  }

  @Test
  void sigterm_notServingThenCallsEndThenExit0() throws Exception {
    try (ServerProcess server =
            ServerProcess.start(data, "whence.shutdown.delay=10s", "whence.shutdown.grace=60s");
        Client client = server.client()) {
      client.topic("orders", 1);
      PendingAppend pending = new PendingAppend(client);
      // A round trip on the same connection: the server knows of the call before it.
      assertThat(server.get("/q/health/ready").statusCode()).isEqualTo(200);
      assertThat(client.log.listTopics(ListTopicsRequest.getDefaultInstance()).getTopicsCount())
          .isEqualTo(1);

      server.terminate();
      server.terminate();

      awaitNotServing(client);
      assertThat(server.get("/q/health/ready").statusCode()).isEqualTo(503);
      // Who has not noticed yet is answered.
      assertThat(client.log.listTopics(ListTopicsRequest.getDefaultInstance()).getTopicsCount())
          .isEqualTo(1);
      Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> isRefused(server.grpcPort()));
      assertThat(server.isAlive()).isTrue();
      AppendResponse response = pending.finish();

      assertThat(response.getResults(0).getRange().getEndOffset()).isEqualTo(1);
      assertThat(server.exitCode()).isZero();
      assertThat(server.log()).containsOnlyOnce("stopping: ").contains(" stopped");
      assertThat(data.resolve(CLEAN)).exists();
    }
    try (ServerProcess server = ServerProcess.start(data);
        Client client = server.client()) {
      assertThat(data.resolve(CLEAN)).doesNotExist();
      assertThat(client.log.listTopics(ListTopicsRequest.getDefaultInstance()).getTopicsCount())
          .isEqualTo(1);
    }
  }

  @Test
  void sigterm_endsOpenStreamsEarly() throws Exception {
    try (ServerProcess server = ServerProcess.start(data, "whence.shutdown.grace=60s");
        Client client = server.client()) {
      CompletableFuture<Throwable> end = new CompletableFuture<>();
      CompletableFuture<StreamResolveTimestampResponse> first = new CompletableFuture<>();
      StreamObserver<StreamResolveTimestampRequest> stream =
          ResolverServiceGrpc.newStub(client.channel)
              .streamResolveTimestamp(
                  new StreamObserver<>() {
                    @Override
                    public void onNext(StreamResolveTimestampResponse answer) {
                      first.complete(answer);
                    }

                    @Override
                    public void onError(Throwable failure) {
                      end.complete(failure);
                    }

                    @Override
                    public void onCompleted() {
                      end.complete(new AssertionError("completed by the server"));
                    }
                  });
      stream.onNext(StreamResolveTimestampRequest.newBuilder().setTag(5).build());
      assertThat(first.get(60, TimeUnit.SECONDS).getTag()).isEqualTo(5);

      server.terminate();

      StatusRuntimeException failure = (StatusRuntimeException) end.get(30, TimeUnit.SECONDS);
      assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
      assertThat(Client.reason(failure)).isEqualTo("DRAINING");
      assertThat(server.exitCode()).isZero();
    }
  }

  @Test
  void sigterm_endsWatchesAtOnceAndKeepsNoGraceForThem() throws Exception {
    try (ServerProcess server = ServerProcess.start(data, "whence.shutdown.grace=10m");
        Client client = server.client()) {
      client.topic("orders", 1);
      Iterator<WatchTimestampResponse> events =
          client
              .resolver
              .withDeadlineAfter(60, TimeUnit.SECONDS)
              .watchTimestamp(
                  WatchTimestampRequest.newBuilder()
                      .addQueries(
                          WatchQuery.newBuilder()
                              .setTopic("orders")
                              .setTime(TimePoint.newBuilder().setEpochMs(1_717_200_000_000L)))
                      .build());
      assertThat(events.next().hasStarted()).isTrue();

      server.terminate();

      StatusRuntimeException failure =
          Client.failure(() -> events.forEachRemaining(event -> assertThat(event).isNull()));
      assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
      assertThat(Client.reason(failure)).isEqualTo("DRAINING");
      assertThat(server.exitCode()).isZero();
      assertThat(server.log()).doesNotContain("\tat ");
    }
  }

  @Test
  void secondServerOnDirectory_refusedAndFirstGoesOn() throws Exception {
    try (ServerProcess first = ServerProcess.start(data);
        Client client = first.client()) {
      client.topic("orders", 1, 1_717_200_000_000L);

      String refusal = ServerProcess.refusal(data);

      assertThat(refusal)
          .containsPattern(
              "FATAL .*not started: whence\\.data: "
                  + data
                  + ": another process has the lock .*\\.lock; stop it, or use another directory\n")
          .doesNotContain("\tat ");
      client.topic("more", 1, 1_717_200_000_000L);
      assertThat(client.log.listTopics(ListTopicsRequest.getDefaultInstance()).getTopicsCount())
          .isEqualTo(2);
      first.kill();
      assertThat(Files.exists(data.resolve(CLEAN))).isFalse();
    }
  }

  private static void awaitNotServing(Client client) {
    for (String name : new String[] {"", LogServiceGrpc.SERVICE_NAME}) {
      Awaitility.await()
          .pollInterval(Duration.ofMillis(10))
          .atMost(Duration.ofSeconds(60))
          .until(
              () ->
                  client
                          .health
                          .check(HealthCheckRequest.newBuilder().setService(name).build())
                          .getStatus()
                      == ServingStatus.NOT_SERVING);
    }
  }

  private static boolean isRefused(int port) {
    try (java.net.Socket socket = new java.net.Socket("127.0.0.1", port)) {
      return !socket.isConnected();
    } catch (IOException e) {
      return true;
    }
  }

  /** An append whose request is still on its way. */
  private static final class PendingAppend extends ClientCall.Listener<AppendResponse> {
    private final ClientCall<AppendRequest, AppendResponse> call;
    private final CompletableFuture<AppendResponse> response = new CompletableFuture<>();

    PendingAppend(Client client) {
      call = client.channel.newCall(LogServiceGrpc.getAppendMethod(), CallOptions.DEFAULT);
      call.start(this, new Metadata());
      call.request(1);
    }

    AppendResponse finish() throws Exception {
      call.sendMessage(
          AppendRequest.newBuilder()
              .addEntries(
                  AppendEntry.newBuilder()
                      .setTopic("orders")
                      .addRecords(RecordData.newBuilder().setTimestampMs(1_717_200_000_000L)))
              .build());
      call.halfClose();
      return response.get(60, TimeUnit.SECONDS);
    }

    @Override
    public void onMessage(AppendResponse message) {
      response.complete(message);
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      response.completeExceptionally(status.asException());
    }
  }
}
