package io.whence.ops;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.whence.source.SourceHealth;
import io.whence.source.SourceHealth.Partitions;
import io.whence.source.kafka.KafkaEvents;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * The metrics of clusters that are followed; docs/metrics.md lists them. None has a label of a
 * topic, but for the lags of groups, which are bounded. Thread safety: thread-safe.
 */
@Singleton
public class KafkaMetrics {
  private final MeterRegistry registry;

  /** Makes metrics; they are there once a source is followed. */
  public KafkaMetrics(MeterRegistry registry) {
    this.registry = registry;
  }

  /** Returns what counts and logs how the following of a source goes. */
  public KafkaEvents events(String source) {
    return new FollowingMetrics(source, registry);
  }

  /**
   * Shows how the partitions of a source are, each time that somebody looks.
   *
   * @param told whether the cluster has told its topics since the start
   * @return removes them again
   */
  public Runnable watch(String source, BooleanSupplier told, Supplier<SourceHealth> health) {
    List<Meter> gauges =
        List.of(
            KafkaMetric.LISTED.gauge(registry, () -> told.getAsBoolean() ? 1 : 0, source),
            gauge(KafkaMetric.PARTITIONS, source, health, Partitions::followed),
            gauge(KafkaMetric.CAUGHT_UP_PARTITIONS, source, health, Partitions::caughtUp),
            gauge(KafkaMetric.ANSWERING_PARTITIONS, source, health, Partitions::answering),
            gauge(KafkaMetric.FAILING_PARTITIONS, source, health, Partitions::failing),
            gauge(
                KafkaMetric.OLDEST_STALENESS_MS,
                source,
                health,
                partitions -> knownMs(partitions.oldestMs())),
            gauge(
                KafkaMetric.OLDEST_REMOVALS_LOOK_MS,
                source,
                health,
                partitions -> knownMs(partitions.removalsUnseenMs())));
    return () -> gauges.forEach(registry::remove);
  }

  private static double knownMs(long ms) {
    return ms < 0 ? Double.NaN : ms;
  }

  private Meter gauge(
      KafkaMetric metric,
      String source,
      Supplier<SourceHealth> health,
      ToDoubleFunction<Partitions> value) {
    return metric.gauge(registry, () -> value.applyAsDouble(health.get().partitions()), source);
  }

  /**
   * Shows the lags of the groups of a source.
   *
   * @param maxSeries how many pairs of a group and a topic are shown at the most
   */
  public LagBoard lags(String source, int maxSeries) {
    return new LagBoard(source, maxSeries, registry);
  }
}
