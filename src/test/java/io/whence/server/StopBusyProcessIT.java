package io.whence.server;

import static org.assertj.core.api.Assertions.assertThat;

import grpc.health.v1.HealthGrpc;
import grpc.health.v1.HealthOuterClass.HealthCheckRequest;
import grpc.health.v1.HealthOuterClass.HealthCheckResponse;
import grpc.health.v1.HealthOuterClass.HealthCheckResponse.ServingStatus;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import io.whence.testkit.Directories;
import io.whence.testkit.FreePorts;
import io.whence.v1.CreateTopicRequest;
import io.whence.v1.ResolverServiceGrpc;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The orderly stop with everything open that a server may have, and with its cluster away. */
class StopBusyProcessIT {
  private static final long T = 1_717_200_000_000L;
  private static final int STREAMS = 5;
  private static final int WATCHES = 50;
  private static final Duration DELAY = Duration.ofSeconds(4);
  private static final Duration GRACE = Duration.ofSeconds(5);
  private static final Duration CLOSING = Duration.ofSeconds(30);

  private final Path data = Directories.temporary("whence-stop-busy");

  @AfterEach
  void delete() {
    Directories.delete(data);
  }

  /** Clients that follow the health of servers have such a watch for as long as they live. */
  @Test
  void sigterm_onlyWatchesOfHealthOpen_theyEndAndNothingWaitsForThem() throws Exception {
    try (ServerProcess server =
            ServerProcess.start(data, "whence.shutdown.delay=1s", "whence.shutdown.grace=5m");
        Client client = server.client()) {
      BlockingQueue<Object> told = new LinkedBlockingQueue<>();
      HealthGrpc.newStub(client.channel)
          .watch(
              HealthCheckRequest.getDefaultInstance(),
              new StreamObserver<HealthCheckResponse>() {
                @Override
                public void onNext(HealthCheckResponse response) {
                  told.add(response.getStatus());
                }

                @Override
                public void onError(Throwable failure) {
                  told.add(failure);
                }

                @Override
                public void onCompleted() {
                  told.add("completed");
                }
              });
      assertThat(told.poll(60, TimeUnit.SECONDS)).isEqualTo(ServingStatus.SERVING);

      server.terminate();

      assertThat(told.poll(60, TimeUnit.SECONDS)).isEqualTo(ServingStatus.NOT_SERVING);
      assertThat(told.poll(60, TimeUnit.SECONDS))
          .isInstanceOfSatisfying(StatusRuntimeException.class, StopBusyProcessIT::assertDraining);
      assertThat(server.exitCode()).as("long before the grace ends").isZero();
      assertThat(told).isEmpty();
    }
  }

  @Test
  void sigterm_streamsWithTrafficWatchesAndNoCluster_exit0InTime() throws Exception {
    try (ServerProcess server = start();
        Client client = server.impatientClient()) {
      client.log.createTopic(
          CreateTopicRequest.newBuilder()
              .setSource("embedded")
              .setTopic("orders")
              .setPartitionCount(1)
              .build());
      ResolverServiceGrpc.ResolverServiceStub stub = ResolverServiceGrpc.newStub(client.channel);
      List<OpenWatch> watches = new ArrayList<>();
      for (int i = 0; i < WATCHES; i++) {
        watches.add(OpenWatch.start(stub, "orders", T + 50));
        assertThat(watches.get(i).next().hasStarted()).isTrue();
      }
      List<Traffic> traffic = new ArrayList<>();
      for (int i = 0; i < STREAMS; i++) {
        traffic.add(Traffic.start(new OpenStream(stub)));
      }

      long begun = System.nanoTime();
      server.terminate();

      for (OpenWatch watch : watches) {
        assertDraining(watch.failure());
      }
      for (Traffic stream : traffic) {
        assertDraining(stream.failure());
      }
      assertThat(server.exitCode()).isZero();
      assertThat(Duration.ofNanos(System.nanoTime() - begun))
          .isBetween(DELAY, DELAY.plus(GRACE).plus(CLOSING));
      assertThat(server.log()).contains(" stopped").doesNotContain("\tat ", "ERROR");
    }
  }

  private ServerProcess start() {
    return ServerProcess.startUnready(
        data.resolve("data"),
        "whence.kafka.prod.bootstrap=127.0.0.1:" + FreePorts.next(),
        "whence.shutdown.delay=" + DELAY.toSeconds() + "s",
        "whence.shutdown.grace=" + GRACE.toSeconds() + "s");
  }

  private static void assertDraining(StatusRuntimeException failure) {
    assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(Client.reason(failure)).isEqualTo("DRAINING");
  }

  /**
   * Asks without a pause, until the stream ends.
   *
   * @param stream the stream
   * @param thread asks
   */
  private record Traffic(OpenStream stream, Thread thread) {
    static Traffic start(OpenStream stream) throws InterruptedException {
      stream.ask(0, "orders", T);
      assertThat(stream.next().getTag()).isZero();
      Thread thread = new Thread(() -> ask(stream));
      thread.start();
      return new Traffic(stream, thread);
    }

    private static void ask(OpenStream stream) {
      try {
        for (long tag = 1; stream.isOpen(); tag++) {
          stream.ask(tag, "orders", T);
          stream.poll();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    StatusRuntimeException failure() throws Exception {
      StatusRuntimeException failure = stream.failure();
      thread.join(TimeUnit.SECONDS.toMillis(60));
      assertThat(thread.isAlive()).isFalse();
      return failure;
    }
  }
}
