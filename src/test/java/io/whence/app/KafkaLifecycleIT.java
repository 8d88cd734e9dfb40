package io.whence.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.prometheus.PrometheusConfig;
import io.micrometer.prometheus.PrometheusMeterRegistry;
import io.quarkus.runtime.configuration.DurationConverter;
import io.quarkus.runtime.configuration.MemorySize;
import io.quarkus.runtime.configuration.MemorySizeConverter;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.whence.log.LogEvents;
import io.whence.log.LogMemory;
import io.whence.ops.KafkaMetrics;
import io.whence.source.LogSource;
import io.whence.source.SourceHealth.State;
import io.whence.testkit.KafkaBroker;
import io.whence.testkit.KafkaTopics;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an operator sees of a real broker that is followed: metrics as scraped, and health. */
class KafkaLifecycleIT {
  private static final String TOPIC = "orders";
  private static final int PARTITIONS = 2;
  private static final int RECORDS = 100;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir private Path directory;
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private KafkaBroker broker;
  private Admin admin;
  private KafkaLifecycle lifecycle;
  private LogSource source;

  @BeforeEach
  void start() throws Exception {
    broker = KafkaBroker.start(Map.of());
    admin = broker.admin();
    KafkaTopics.create(admin, TOPIC, PARTITIONS);
    produce();
    Map<String, String> settings =
        Map.of(
            "whence.kafka.prod.bootstrap", broker.bootstrapServers(),
            "whence.kafka.prod.refresh", "1s",
            "whence.kafka.prod.request-timeout", "2s",
            "whence.kafka.prod.max-staleness", "15s",
            "whence.kafka.prod.lag-interval", "200ms",
            "whence.kafka.prod.lag-groups", "billing-.*",
            "whence.kafka.prod.lag-max-series", "3");
    WhenceConfig config = config(settings);
    lifecycle =
        new KafkaLifecycle(
            "prod",
            config.kafka().get("prod"),
            directory,
            config.groups(),
            new Following(
                InstantSource.system(),
                LogEvents.NOOP,
                LogMemory.usual(),
                new KafkaMetrics(registry)));
    source = lifecycle.open();
  }

  @AfterEach
  void stop() throws Exception {
    lifecycle.close();
    admin.close();
    broker.close();
  }

  private static WhenceConfig config(Map<String, String> settings) {
    return new SmallRyeConfigBuilder()
        .withConverter(Duration.class, 200, new DurationConverter())
        .withConverter(MemorySize.class, 200, new MemorySizeConverter())
        .withMapping(WhenceConfig.class)
        .withSources(new PropertiesConfigSource(settings, "test", 100))
        .build()
        .getConfigMapping(WhenceConfig.class);
  }

  private void produce() {
    Map<String, Object> config = Map.of("bootstrap.servers", broker.bootstrapServers());
    long baseMs = System.currentTimeMillis() - TimeUnit.HOURS.toMillis(1);
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
      for (int i = 0; i < RECORDS; i++) {
        for (int partition = 0; partition < PARTITIONS; partition++) {
          producer.send(new ProducerRecord<>(TOPIC, partition, baseMs, null, new byte[10]));
        }
      }
    }
  }

  private void commit(String group, int partition, long offset) throws Exception {
    admin
        .alterConsumerGroupOffsets(
            group, Map.of(new TopicPartition(TOPIC, partition), new OffsetAndMetadata(offset)))
        .all()
        .get();
  }

  /** Returns the value of a series as it is scraped. */
  private Optional<Double> scraped(String name, String... labels) {
    return Pattern.compile("(?m)^" + name + "\\{([^}]*)\\} (\\S+)")
        .matcher(registry.scrape())
        .results()
        .filter(line -> List.of(labels).stream().allMatch(line.group(1)::contains))
        .map(KafkaLifecycleIT::value)
        .findFirst();
  }

  private static double value(MatchResult line) {
    return Double.parseDouble(line.group(2));
  }

  private void awaitScraped(double expected, String name, String... labels) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(scraped(name, labels)).hasValue(expected));
  }

  private void awaitState(State state) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(source.health().state()).isEqualTo(state));
  }

  /** Without what is said about them. */
  private String series() {
    return registry
        .scrape()
        .lines()
        .filter(line -> !line.startsWith("#"))
        .collect(Collectors.joining("\n"));
  }

  @Test
  void followedCluster_lanesPartitionsAndLagsAreScraped() throws Exception {
    awaitState(State.READY);
    commit("billing-1", 0, 90);
    commit("billing-1", 1, RECORDS);
    commit("audit", 0, 0);

    awaitScraped(10, "whence_group_lag_messages", "group=\"billing-1\"", "topic=\"orders\"");
    await().atMost(PATIENCE).untilAsserted(this::assertFollowedAndBehind);

    for (int i = 2; i <= 5; i++) {
      commit("billing-" + i, 1, RECORDS - i);
    }
    awaitScraped(3, "whence_group_lag_folded", "source=\"prod\"");
    awaitScraped(12, "whence_group_lag_messages", "group=\"_other\"");

    admin
        .deleteConsumerGroups(List.of("billing-1", "billing-3", "billing-4", "billing-5"))
        .all()
        .get();
    awaitScraped(0, "whence_group_lag_folded", "source=\"prod\"");
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> assertThat(series()).doesNotContain("billing-1").doesNotContain("_other"));
    awaitScraped(2, "whence_group_lag_messages", "group=\"billing-2\"");

    lifecycle.close();
    assertThat(series())
        .doesNotContain("whence_group_lag")
        .doesNotContain("whence_kafka_partitions");
  }

  /** What is shown of one look comes one after the other. */
  private void assertFollowedAndBehind() {
    assertThat(scraped("whence_group_lag_seconds", "group=\"billing-1\"").orElseThrow())
        .isBetween(3_600.0, 3_900.0);
    assertThat(series()).doesNotContain("audit").doesNotContain("partition=\"");
    assertThat(scraped("whence_kafka_records_total", "lane=\"prod-0\""))
        .hasValueSatisfying(
            records -> assertThat(records).isGreaterThanOrEqualTo(RECORDS * PARTITIONS));
    assertThat(scraped("whence_kafka_bytes_total").orElseThrow()).isPositive();
    assertThat(scraped("whence_kafka_answers_seconds_count").orElseThrow()).isPositive();
    assertThat(scraped("whence_kafka_partitions", "source=\"prod\"")).hasValue(2.0);
    assertThat(scraped("whence_kafka_caught_up_partitions")).hasValue(2.0);
    assertThat(scraped("whence_kafka_failing_partitions")).hasValue(0.0);
  }

  @Test
  void brokerThatIsAway_staleThenNotServing_andHealsByItself() throws Exception {
    awaitState(State.READY);
    commit("billing-1", 0, 90);
    awaitScraped(10, "whence_group_lag_messages", "group=\"billing-1\"");

    broker.kill();

    awaitState(State.STALE);
    assertThat(source.health().reason()).isNotEmpty();
    awaitState(State.NOT_SERVING);
    assertThat(source.health().partitions().oldestMs()).isGreaterThan(15_000);
    assertThat(source.health().reason()).isNotEmpty();
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              assertThat(scraped("whence_group_lag_failed_looks_total").orElseThrow()).isPositive();
              assertThat(scraped("whence_kafka_failing_partitions")).hasValue(2.0);
              assertThat(scraped("whence_kafka_broker_failures_total").orElseThrow()).isPositive();
              assertThat(scraped("whence_group_lag_messages")).as("nothing old").isEmpty();
            });

    broker.restart();

    awaitState(State.READY);
    awaitScraped(10, "whence_group_lag_messages", "group=\"billing-1\"");
  }
}
