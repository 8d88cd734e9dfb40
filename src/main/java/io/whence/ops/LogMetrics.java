package io.whence.ops;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.whence.log.LogEvents;
import io.whence.model.TopicPartition;
import jakarta.inject.Singleton;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.jboss.logging.Logger;

/**
 * Metrics and log lines of the logs that this server has; docs/metrics.md lists the metrics. Thread
 * safety: thread-safe.
 */
@Singleton
public class LogMetrics implements LogEvents {
  private static final Logger LOG = Logger.getLogger("io.whence.log");

  private final MeterRegistry registry;
  private final Timer flushes;
  private final Counter batches;
  private final Counter rolls;
  private final Counter retentionBlocked;
  private final Counter warnings;

  LogMetrics(MeterRegistry registry) {
    this.registry = registry;
    this.flushes = LogMetric.FLUSH.timer(registry);
    this.batches = LogMetric.BATCHES.counter(registry);
    this.rolls = LogMetric.ROLLS.counter(registry);
    this.retentionBlocked = LogMetric.RETENTION_BLOCKED.counter(registry);
    this.warnings = LogMetric.WARNINGS.counter(registry);
  }

  @Override
  public void flushed(TopicPartition partition, int batchCount, long nanos) {
    flushes.record(nanos, TimeUnit.NANOSECONDS);
    batches.increment(batchCount);
  }

  @Override
  public void rolled(TopicPartition partition, long baseOffset) {
    rolls.increment();
    LOG.infof("segment rolled: partition=%s baseOffset=%d", partition, baseOffset);
  }

  @Override
  public void trimmed(TopicPartition partition, long logStartOffset, String reason) {
    LogMetric.TRIMS.counter(registry, reason).increment();
    LOG.infof(
        "log start raised: partition=%s logStartOffset=%d reason=%s",
        partition, logStartOffset, reason);
  }

  @Override
  public void retentionBlocked(TopicPartition partition, long baseOffset, long timestampMs) {
    retentionBlocked.increment();
    LOG.warnf(
        "a record from the future keeps a segment from being deleted: partition=%s baseOffset=%d"
            + " timestampMs=%d; set retention.future.timestamps=ignore to delete it all the same",
        partition, baseOffset, timestampMs);
  }

  @Override
  public void warned(TopicPartition partition, String warning) {
    warnings.increment();
    LOG.warnf("partition=%s: %s", partition, warning);
  }

  @Override
  public void damaged(Path log, long position, String expected, String found) {
    warnings.increment();
    LOG.warnf(
        "a reader found damage: file=%s position=%d expected=%s found=%s",
        log, position, expected, found);
  }

  /** Shows in how many places logs are known to be damaged, each time that somebody looks. */
  public void watchDamages(IntSupplier damages) {
    LogMetric.DAMAGES.gauge(registry, damages::getAsInt);
  }

  /** Counts and logs what the operator should know of a source. */
  public void warned(String source, String warning) {
    warnings.increment();
    LOG.warnf("source=%s warning=%s", source, warning);
  }
}
