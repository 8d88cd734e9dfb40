package io.whence.ops;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.whence.commit.GroupEvents;
import io.whence.commit.GroupFigures;
import jakarta.inject.Singleton;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jboss.logging.Logger;

/**
 * Metrics and log lines of the offsets of groups; docs/metrics.md lists the metrics. Thread safety:
 * thread-safe.
 */
@Singleton
public class GroupMetrics implements GroupEvents {
  private static final Logger LOG = Logger.getLogger("io.whence.commit");

  private final MeterRegistry registry;
  private final Counter expired;
  private final Counter compacted;
  private final Counter warnings;

  GroupMetrics(MeterRegistry registry) {
    this.registry = registry;
    expired = registry.counter("whence.groups.expired.offsets");
    compacted = registry.counter("whence.groups.compacted.records");
    warnings = registry.counter("whence.groups.warnings");
  }

  /** Shows how much is committed. */
  public void watch(Supplier<GroupFigures> figures) {
    gauge("whence.groups", "Groups that have committed offsets", figures, GroupFigures::groups);
    gauge("whence.groups.offsets", "Committed offsets", figures, GroupFigures::offsets);
    gauge(
        "whence.groups.expiring.offsets",
        "Committed offsets that expire within a day",
        figures,
        GroupFigures::expiringSoon);
    gauge(
        "whence.groups.remembered.requests",
        "Requests that are remembered by their id",
        figures,
        GroupFigures::requests);
  }

  private void gauge(
      String name,
      String description,
      Supplier<GroupFigures> figures,
      ToLongFunction<GroupFigures> figure) {
    Gauge.builder(name, () -> figure.applyAsLong(figures.get()))
        .description(description)
        .register(registry);
  }

  @Override
  public void expired(String group, int offsetCount) {
    expired.increment(offsetCount);
    LOG.infof("offsets expired: group=%s offsets=%d", group, offsetCount);
  }

  @Override
  public void compacted(int partition, long recordCount) {
    compacted.increment((double) recordCount);
  }

  @Override
  public void warned(String warning) {
    warnings.increment();
    LOG.warnf("offsets of groups: %s", warning);
  }
}
