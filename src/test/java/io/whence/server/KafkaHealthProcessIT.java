package io.whence.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import grpc.health.v1.HealthGrpc;
import grpc.health.v1.HealthOuterClass.HealthCheckRequest;
import grpc.health.v1.HealthOuterClass.HealthCheckResponse;
import grpc.health.v1.HealthOuterClass.HealthCheckResponse.ServingStatus;
import io.grpc.stub.StreamObserver;
import io.whence.testkit.Directories;
import io.whence.testkit.KafkaBroker;
import io.whence.testkit.KafkaTopics;
import io.whence.v1.ResolverServiceGrpc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What gRPC's health and readiness over HTTP say of a cluster that comes and goes: the same. */
class KafkaHealthProcessIT {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String NAME = "kafka.example.test";
  private static final HealthCheckRequest RESOLVER =
      HealthCheckRequest.newBuilder().setService(ResolverServiceGrpc.SERVICE_NAME).build();

  private final Path directory = Directories.temporary("whence-health");
  private final Path hosts = directory.resolve("hosts");

  @AfterEach
  void delete() {
    Directories.delete(directory);
  }

  @Test
  void cluster_awayAtStart_comes_andGoes_bothHealthsSayTheSame() throws Exception {
    Files.writeString(hosts, "127.0.0.1 localhost\n");
    try (KafkaBroker broker = KafkaBroker.start(Map.of());
        Admin admin = broker.admin()) {
      KafkaTopics.create(admin, "orders", 1);
      try (ServerProcess server = start(broker);
          Client client = server.impatientClient()) {
        List<ServingStatus> pushed = watch(client);
        assertThat(status(client)).isEqualTo(ServingStatus.NOT_SERVING);
        assertThat(server.get("/q/health/ready").statusCode()).isEqualTo(503);

        Files.writeString(hosts, "127.0.0.1 localhost\n127.0.0.1 " + NAME + "\n");
        await().atMost(LIMIT).until(() -> status(client) == ServingStatus.SERVING);
        assertThat(server.get("/q/health/ready").statusCode()).isEqualTo(200);

        broker.kill();
        await()
            .atMost(LIMIT)
            .until(() -> server.get("/q/health/ready").body().contains("\"not serving\""));
        assertThat(server.get("/q/health/ready").statusCode()).as("embedded").isEqualTo(200);
        assertThat(status(client)).isEqualTo(ServingStatus.SERVING);
        assertThat(pushed).containsExactly(ServingStatus.NOT_SERVING, ServingStatus.SERVING);

        server.terminate();
        await().atMost(LIMIT).until(() -> pushed.size() == 3);
        assertThat(pushed.get(2)).isEqualTo(ServingStatus.NOT_SERVING);
        assertThat(server.exitCode()).isZero();
        assertThat(server.log()).containsOnlyOnce(" ready: ").doesNotContain("not ready any more");
      }
    }
  }

  private ServerProcess start(KafkaBroker broker) {
    return ServerProcess.startUnready(
        directory.resolve("own"),
        "jdk.net.hosts.file=" + hosts,
        "sun.net.inetaddr.negative.ttl=0",
        "whence.kafka.prod.bootstrap=" + broker.bootstrapServers().replace("127.0.0.1", NAME),
        "whence.kafka.prod.request-timeout=5s",
        "whence.kafka.prod.max-staleness=10s",
        "whence.kafka.prod.refresh=200ms",
        "whence.shutdown.delay=10s");
  }

  private static ServingStatus status(Client client) {
    return client.health.check(RESOLVER).getStatus();
  }

  /** Returns what is pushed, as it comes. */
  private static List<ServingStatus> watch(Client client) {
    List<ServingStatus> pushed = new CopyOnWriteArrayList<>();
    HealthGrpc.newStub(client.channel)
        .watch(
            RESOLVER,
            new StreamObserver<>() {
              @Override
              public void onNext(HealthCheckResponse response) {
                pushed.add(response.getStatus());
              }

              @Override
              public void onError(Throwable failure) {
                // The server has ended.
              }

              @Override
              public void onCompleted() {
                // The server has ended.
              }
            });
    await().atMost(LIMIT).until(() -> !pushed.isEmpty());
    return pushed;
  }
}
