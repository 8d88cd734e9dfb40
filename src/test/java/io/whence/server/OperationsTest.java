package io.whence.server;

import static org.assertj.core.api.Assertions.assertThat;

import grpc.health.v1.HealthOuterClass.HealthCheckRequest;
import grpc.health.v1.HealthOuterClass.HealthCheckResponse.ServingStatus;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.reflection.v1.ServiceResponse;
import io.grpc.stub.StreamObserver;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.whence.app.GrpcServerHandle;
import io.whence.commit.LagFindings;
import io.whence.commit.TopicLag;
import io.whence.model.ErrorReason;
import io.whence.model.TopicPartition;
import io.whence.ops.CallMetrics;
import io.whence.ops.GroupMetrics;
import io.whence.ops.KafkaMetrics;
import io.whence.ops.LogMetrics;
import io.whence.source.SourceHealth;
import io.whence.source.SourceHealth.State;
import io.whence.source.kafka.KafkaEvents;
import io.whence.source.kafka.fetch.FetchFault;
import io.whence.v1.GroupOffsetsServiceGrpc;
import io.whence.v1.LogServiceGrpc;
import io.whence.v1.ResolverServiceGrpc;
import jakarta.inject.Inject;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@QuarkusTest
@TestProfile(ServerTestProfile.class)
class OperationsTest {
  @Inject GrpcServerHandle server;
  private static final TopicPartition PARTITION = new TopicPartition("metrics", 0);

  @Inject CallMetrics metrics;

  @Inject LogMetrics logMetrics;

  @Inject GroupMetrics groupMetrics;

  @Inject KafkaMetrics kafkaMetrics;

  @TestHTTPResource("/q/health/ready")
  URI ready;

  @TestHTTPResource("/q/metrics")
  URI prometheus;

  private Client client;

  @BeforeEach
  void connect() {
    client = new Client(server.port());
  }

  @AfterEach
  void close() throws InterruptedException {
    client.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ResolverServiceGrpc.SERVICE_NAME,
        LogServiceGrpc.SERVICE_NAME,
        GroupOffsetsServiceGrpc.SERVICE_NAME
      })
  void health_servingPerName(String name) {
    assertThat(
            client
                .health
                .check(HealthCheckRequest.newBuilder().setService(name).build())
                .getStatus())
        .isEqualTo(ServingStatus.SERVING);
  }

  @Test
  void reflection_listsServices() throws Exception {
    CompletableFuture<ServerReflectionResponse> answer = new CompletableFuture<>();
    StreamObserver<ServerReflectionRequest> requests =
        ServerReflectionGrpc.newStub(client.channel).serverReflectionInfo(first(answer));
    requests.onNext(ServerReflectionRequest.newBuilder().setListServices("").build());
    List<String> names =
        answer.get(60, TimeUnit.SECONDS).getListServicesResponse().getServiceList().stream()
            .map(ServiceResponse::getName)
            .toList();
    requests.onCompleted();
    assertThat(names)
        .contains(
            ResolverServiceGrpc.SERVICE_NAME,
            LogServiceGrpc.SERVICE_NAME,
            GroupOffsetsServiceGrpc.SERVICE_NAME,
            "grpc.health.v1.Health");
  }

  private static StreamObserver<ServerReflectionResponse> first(
      CompletableFuture<ServerReflectionResponse> answer) {
    return new StreamObserver<>() {
      @Override
      public void onNext(ServerReflectionResponse response) {
        answer.complete(response);
      }

      @Override
      public void onError(Throwable failure) {
        answer.completeExceptionally(failure);
      }

      @Override
      public void onCompleted() {
        answer.completeExceptionally(new IllegalStateException("no answer"));
      }
    };
  }

  @Test
  void readiness_namesSources() throws Exception {
    HttpResponse<String> response = get(ready);
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body()).containsPattern("\"embedded\"\\s*:\\s*\"ready\"");
  }

  /** {@link io.whence.ops} checks that the document is the one of the code. */
  @Test
  void documentedMetrics_areTheRegisteredOnes() throws Exception {
    metrics.ended("ResolveTimestamp", "OK", 1);
    metrics.lookups("ResolveTimestamp", "memory", 1);
    metrics.answers("ResolveTimestamp", "none", "found", 1);
    metrics.partitions("ResolveTimestamp", 1);
    metrics.overload("ResolveTimestamp");
    metrics.abandoned("ResolveTimestamp");
    metrics.fault("ResolveTimestamp");
    logMetrics.flushed(PARTITION, 1, 1);
    logMetrics.rolled(PARTITION, 0);
    logMetrics.trimmed(PARTITION, 1, "trim");
    logMetrics.retentionBlocked(PARTITION, 0, 1);
    logMetrics.warned(PARTITION, "a test");
    groupMetrics.warned("embedded", "a test");
    follow();
    String scraped = get(prometheus).body();
    assertThat(labelsByName(scraped))
        .isEqualTo(documented(Files.readString(Path.of("docs/metrics.md"))));
    assertThat(scraped)
        .doesNotContain("grpc_server_")
        .as("what the dashboard shows beside ours")
        .containsPattern("(?m)^jvm_memory_used_bytes\\{area=\"heap\",id=")
        .containsPattern("(?m)^jvm_threads_live_threads ")
        .containsPattern("(?m)^process_cpu_usage ")
        .containsPattern("(?m)^process_files_open_files ")
        .containsPattern("(?m)^process_files_max_files ")
        .as("what tells alerts how old a server is")
        .containsPattern("(?m)^process_uptime_seconds ");
  }

  /** Of a histogram, the name is the one of all its series. */
  private static Map<String, Set<String>> labelsByName(String scraped) {
    Map<String, Set<String>> labels = new TreeMap<>();
    Pattern.compile("(?m)^(whence_\\w+?)(?:_bucket|_count|_sum|_max)?(?:\\{(.*)})? \\S+$")
        .matcher(scraped)
        .results()
        .forEach(
            series -> {
              String text = series.group(2) == null ? "" : series.group(2);
              Set<String> names = names(text, "(\\w+)=\"");
              names.remove("le");
              labels.merge(series.group(1), names, OperationsTest::same);
            });
    return labels;
  }

  private static Set<String> same(Set<String> one, Set<String> other) {
    assertThat(one).isEqualTo(other);
    return one;
  }

  private static Map<String, Set<String>> documented(String document) {
    Map<String, Set<String>> labels = new TreeMap<>();
    Pattern.compile("(?m)^\\| `(whence_\\w+)` \\| [^|]* \\| ([^|]*) \\|")
        .matcher(document)
        .results()
        .forEach(row -> labels.put(row.group(1), names(row.group(2), "`(\\w+)`")));
    return labels;
  }

  /** What a source of a cluster registers. */
  private void follow() {
    KafkaEvents events = kafkaMetrics.events("prod");
    events.asked("prod-0", 1);
    events.partitionFailed(
        "prod-0", PARTITION, new FetchFault(ErrorReason.LEADER_UNAVAILABLE, "a test"));
    Runnable unused =
        kafkaMetrics.watch("prod", () -> true, () -> SourceHealth.of(State.READY, ""));
    kafkaMetrics
        .lags("prod", 10)
        .show(new LagFindings(List.of(new TopicLag("g", "orders", 1, 1)), 0, 0, ""), 1);
  }

  private static Set<String> names(String text, String pattern) {
    Set<String> names = new TreeSet<>();
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    while (matcher.find()) {
      names.add(matcher.group(1));
    }
    return names;
  }

  private static HttpResponse<String> get(URI uri) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(10)).build(),
            HttpResponse.BodyHandlers.ofString());
  }
}
