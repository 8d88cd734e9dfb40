package io.whence.ops;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.whence.source.SourceHealth;
import io.whence.source.SourceHealth.Partitions;
import io.whence.source.kafka.KafkaEvents;
import jakarta.inject.Singleton;
import java.util.List;
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
   * @return removes them again
   */
  public Runnable watch(String source, Supplier<SourceHealth> health) {
    List<Meter> gauges =
        List.of(
            gauge(
                source, "partitions", "Partitions that are followed", health, Partitions::followed),
            gauge(
                source,
                "caught.up.partitions",
                "Partitions that have had all that their leaders had, since the start",
                health,
                Partitions::caughtUp),
            gauge(
                source,
                "answering.partitions",
                "Partitions that are answered for",
                health,
                Partitions::answering),
            gauge(
                source,
                "failing.partitions",
                "Partitions that can't be fetched now",
                health,
                Partitions::failing),
            gauge(
                source,
                "oldest.staleness.ms",
                "For how long the partition that was confirmed the longest ago has not been",
                health,
                partitions -> knownMs(partitions.oldestMs())),
            gauge(
                source,
                "oldest.removals.look.ms",
                "For how long removals may have gone unseen in a compacted partition",
                health,
                partitions -> knownMs(partitions.removalsUnseenMs())));
    return () -> gauges.forEach(registry::remove);
  }

  private static double knownMs(long ms) {
    return ms < 0 ? Double.NaN : ms;
  }

  private Meter gauge(
      String source,
      String name,
      String description,
      Supplier<SourceHealth> health,
      ToDoubleFunction<Partitions> value) {
    return Gauge.builder(
            "whence.kafka." + name, () -> value.applyAsDouble(health.get().partitions()))
        .tag("source", source)
        .description(description)
        .strongReference(true)
        .register(registry);
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
