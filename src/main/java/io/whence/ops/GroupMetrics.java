package io.whence.ops;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.whence.commit.GroupFigures;
import jakarta.inject.Singleton;
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
    expired = GroupMetric.EXPIRED_OFFSETS.counter(registry);
    compacted = GroupMetric.COMPACTED_RECORDS.counter(registry);
    warnings = GroupMetric.WARNINGS.counter(registry);
    GroupMetric.GROUPS.gauge(registry, () -> figures.groups());
    GroupMetric.OFFSETS.gauge(registry, () -> figures.offsets());
    GroupMetric.EXPIRING_OFFSETS.gauge(registry, () -> figures.expiringSoon());
    GroupMetric.REQUESTS.gauge(registry, () -> figures.requests());
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
}
