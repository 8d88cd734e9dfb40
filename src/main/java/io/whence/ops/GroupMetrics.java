package io.whence.ops;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.whence.commit.GroupFigures;
import jakarta.inject.Singleton;
import java.util.function.ToLongFunction;
import org.jboss.logging.Logger;

/**
 * Metrics and log lines of the offsets of groups; docs/metrics.md lists the metrics. Thread safety:
 * thread-safe.
 */
@Singleton
public class GroupMetrics {
  private static final Logger LOG = Logger.getLogger("io.whence.commit");

  private final Counter expired;
  private final Counter compacted;
  private final Counter warnings;

  /** As last counted: a look at the metrics doesn't walk through all groups. */
  private volatile GroupFigures figures = new GroupFigures(0, 0, 0, 0);

  GroupMetrics(MeterRegistry registry) {
    expired = registry.counter("whence.groups.expired.offsets");
    compacted = registry.counter("whence.groups.compacted.records");
    warnings = registry.counter("whence.groups.warnings");
    gauge(registry, "whence.groups", "Groups that have offsets", GroupFigures::groups);
    gauge(registry, "whence.groups.offsets", "Committed offsets", GroupFigures::offsets);
    gauge(
        registry,
        "whence.groups.expiring.offsets",
        "Committed offsets that expire within a day",
        GroupFigures::expiringSoon);
    gauge(
        registry,
        "whence.groups.requests",
        "Requests that are remembered by their id",
        GroupFigures::requests);
  }

  /** Shows how much is committed now. */
  public void show(GroupFigures now) {
    figures = now;
  }

  /** Counts offsets that were removed because nobody committed them again in time. */
  public void expired(int offsetCount) {
    if (offsetCount > 0) {
      expired.increment(offsetCount);
      LOG.infof("offsets expired: offsets=%d", offsetCount);
    }
  }

  /** Counts records of commits that were removed from disk because newer ones replaced them. */
  public void compacted(long recordCount) {
    compacted.increment((double) recordCount);
  }

  /** Counts and logs what the operator should know. */
  public void warned(String source, String warning) {
    warnings.increment();
    LOG.warnf("source=%s warning=%s", source, warning);
  }

  private void gauge(
      MeterRegistry registry, String name, String description, ToLongFunction<GroupFigures> value) {
    Gauge.builder(name, () -> value.applyAsLong(figures))
        .description(description)
        .strongReference(true)
        .register(registry);
  }
}
