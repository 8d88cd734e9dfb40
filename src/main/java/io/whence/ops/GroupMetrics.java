package io.whence.ops;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.whence.commit.GroupEvents;
import jakarta.inject.Singleton;
import org.jboss.logging.Logger;

/**
 * Metrics and log lines of the offsets of groups; docs/metrics.md lists the metrics. Thread safety:
 * thread-safe.
 */
@Singleton
public class GroupMetrics implements GroupEvents {
  private static final Logger LOG = Logger.getLogger("io.whence.commit");

  private final Counter expired;
  private final Counter compacted;
  private final Counter warnings;

  GroupMetrics(MeterRegistry registry) {
    expired = registry.counter("whence.groups.expired.offsets");
    compacted = registry.counter("whence.groups.compacted.records");
    warnings = registry.counter("whence.groups.warnings");
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
