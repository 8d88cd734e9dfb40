package io.whence.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.whence.model.ErrorReason;
import io.whence.model.TopicPartition;
import io.whence.source.SourceHealth;
import io.whence.source.SourceHealth.Partitions;
import io.whence.source.SourceHealth.State;
import io.whence.source.kafka.KafkaEvents;
import io.whence.source.kafka.fetch.FetchFault;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class KafkaMetricsTest {
  private final MeterRegistry registry = new SimpleMeterRegistry();
  private final KafkaMetrics metrics = new KafkaMetrics(registry);

  private double count(String name, String... tags) {
    return registry.get(name).tag("source", "prod").tags(tags).counter().count();
  }

  @Test
  void lanes_areCountedEachForItself_neverByTopic() {
    KafkaEvents events = metrics.events("prod");
    events.asked("prod-0", 1);
    events.asked("prod-0", 2);
    events.asked("prod-1", 1);
    events.metadataAsked("prod-0");
    events.answered("prod-0", 1, 10, 1_000, TimeUnit.MILLISECONDS.toNanos(5));
    events.answered("prod-0", 2, 5, 500, TimeUnit.MILLISECONDS.toNanos(7));
    events.throttled("prod-0", 1, 250);
    events.brokerFailed("prod-0", 1, "can't be reached");
    events.feedFailed("prod-0", new TopicPartition("a", 0), 1, new IllegalStateException("full"));
    events.laneFailed("prod-1", new IllegalStateException("broken"));

    assertThat(count("whence.kafka.requests", "lane", "prod-0")).isEqualTo(2);
    assertThat(count("whence.kafka.requests", "lane", "prod-1")).isEqualTo(1);
    assertThat(count("whence.kafka.metadata.requests", "lane", "prod-0")).isEqualTo(1);
    assertThat(count("whence.kafka.records", "lane", "prod-0")).isEqualTo(15);
    assertThat(count("whence.kafka.bytes", "lane", "prod-0")).isEqualTo(1_500);
    assertThat(count("whence.kafka.throttled.ms", "lane", "prod-0")).isEqualTo(250);
    assertThat(count("whence.kafka.broker.failures", "lane", "prod-0")).isEqualTo(1);
    assertThat(count("whence.kafka.broker.failures", "lane", "prod-1")).isZero();
    assertThat(count("whence.kafka.feed.failures", "lane", "prod-0")).isEqualTo(1);
    assertThat(count("whence.kafka.lane.failures", "lane", "prod-1")).isEqualTo(1);
    assertThat(
            registry
                .get("whence.kafka.answers")
                .tag("lane", "prod-0")
                .timer()
                .totalTime(TimeUnit.MILLISECONDS))
        .isEqualTo(12);
    assertThat(registry.getMeters())
        .allSatisfy(meter -> assertThat(meter.getId().getTag("topic")).isNull());
  }

  @Test
  void failuresOfPartitions_areCountedByReason() {
    KafkaEvents events = metrics.events("prod");
    for (int i = 0; i < 1_000; i++) {
      events.partitionFailed(
          "prod-0",
          new TopicPartition("topic-" + i, i),
          new FetchFault(
              i % 2 == 0 ? ErrorReason.NOT_AUTHORIZED : ErrorReason.LEADER_UNAVAILABLE, "no " + i));
    }

    assertThat(count("whence.kafka.partition.failures", "reason", "not_authorized")).isEqualTo(500);
    assertThat(registry.find("whence.kafka.partition.failures").counters()).hasSize(2);
  }

  @Test
  void removedRecordsAndFailedTasks_areThereBeforeTheFirst() {
    KafkaEvents events = metrics.events("prod");
    assertThat(count("whence.kafka.removed.records")).isZero();
    assertThat(count("whence.kafka.task.failures")).isZero();

    events.removed("prod", new TopicPartition("a", 0), 5);
    events.taskFailed("prod", new IllegalStateException("broken"));

    assertThat(count("whence.kafka.removed.records")).isEqualTo(5);
    assertThat(count("whence.kafka.task.failures")).isEqualTo(1);
  }

  @Test
  void looksThatAreNotWhole_areCounted() {
    KafkaEvents events = metrics.events("prod");
    assertThat(count("whence.kafka.refresh.failures")).isZero();

    events.refreshed("prod", true);
    events.refreshed("prod", false);
    events.refreshed("prod", false);

    assertThat(count("whence.kafka.refresh.failures")).isEqualTo(2);
  }

  @Test
  void repairs_areCounted() {
    KafkaEvents events = metrics.events("prod");
    assertThat(count("whence.kafka.repairs")).isZero();

    events.repaired("prod", new TopicPartition("a", 0), 42);

    assertThat(count("whence.kafka.repairs")).isEqualTo(1);
    assertThat(registry.get("whence.kafka.repairs").counter().getId().getTag("topic")).isNull();
  }

  @Test
  void listed_isWhetherTheClusterHasToldItsTopics_evenBeforeTheirLogsAreOpen() {
    AtomicBoolean told = new AtomicBoolean();
    metrics.watch("prod", told::get, () -> SourceHealth.of(State.LOADING, "opening"));
    assertThat(registry.get("whence.kafka.listed").tag("source", "prod").gauge().value()).isZero();

    told.set(true);

    assertThat(registry.get("whence.kafka.listed").tag("source", "prod").gauge().value())
        .isEqualTo(1);
  }

  @Test
  void gauges_areAsTheSourceIs_untilTheyAreRemoved() {
    AtomicReference<SourceHealth> health =
        new AtomicReference<>(SourceHealth.of(State.LOADING, ""));
    Runnable remove = metrics.watch("prod", () -> true, health::get);
    assertThat(registry.get("whence.kafka.oldest.staleness.ms").gauge().value()).isNaN();
    assertThat(registry.get("whence.kafka.oldest.removals.look.ms").gauge().value()).isNaN();

    health.set(new SourceHealth(State.STALE, new Partitions(9, 8, 7, 2, 1_234, 5_678), "x"));

    assertThat(registry.get("whence.kafka.partitions").gauge().value()).isEqualTo(9);
    assertThat(registry.get("whence.kafka.caught.up.partitions").gauge().value()).isEqualTo(8);
    assertThat(registry.get("whence.kafka.answering.partitions").gauge().value()).isEqualTo(7);
    assertThat(registry.get("whence.kafka.failing.partitions").gauge().value()).isEqualTo(2);
    assertThat(registry.get("whence.kafka.oldest.staleness.ms").gauge().value()).isEqualTo(1_234);
    assertThat(registry.get("whence.kafka.oldest.removals.look.ms").gauge().value())
        .isEqualTo(5_678);
    remove.run();
    assertThat(registry.getMeters()).isEmpty();
  }
}
