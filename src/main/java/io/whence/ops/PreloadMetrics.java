package io.whence.ops;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.whence.log.PreloadEvents;
import io.whence.log.PreloadStatus;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import jakarta.inject.Singleton;
import java.nio.file.Path;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jboss.logging.Logger;

/**
 * Metrics and log lines of the time indexes that are in memory; docs/metrics.md lists the metrics.
 * Thread safety: thread-safe.
 */
@Singleton
public class PreloadMetrics implements PreloadEvents {
  private static final Logger LOG = Logger.getLogger("io.whence.preload");

  private final MeterRegistry registry;
  private final Counter loads;
  private final Counter drops;
  private final Counter failures;
  private final Counter rebuilds;

  PreloadMetrics(MeterRegistry registry) {
    this.registry = registry;
    loads = PreloadMetric.LOADS.counter(registry);
    drops = PreloadMetric.DROPS.counter(registry);
    failures = PreloadMetric.FAILURES.counter(registry);
    rebuilds = PreloadMetric.REBUILDS.counter(registry);
  }

  /** Shows from now on what is in memory. */
  public void watch(Supplier<PreloadStatus> status) {
    gauge(PreloadMetric.SEGMENTS_LOADED, status, PreloadStatus::loadedCount);
    gauge(PreloadMetric.SEGMENTS_UNLOADED, status, PreloadStatus::unloadedCount);
    gauge(PreloadMetric.BYTES, status, PreloadStatus::loadedBytes);
    gauge(PreloadMetric.BUDGET_BYTES, status, PreloadStatus::budgetBytes);
    gauge(PreloadMetric.READY, status, now -> now.settled() ? 1 : 0);
  }

  private void gauge(
      PreloadMetric metric, Supplier<PreloadStatus> status, ToDoubleFunction<PreloadStatus> value) {
    metric.gauge(registry, () -> value.applyAsDouble(status.get()));
  }

  @Override
  public void progressed(String source, int loaded, int wanted, long bytes) {
    LOG.infof("preload: source=%s segments=%d/%d bytes=%d", source, loaded, wanted, bytes);
  }

  @Override
  public void loaded(TopicPartition partition, long baseOffset) {
    loads.increment();
    LOG.debugf("preload: loaded partition=%s baseOffset=%d", partition, baseOffset);
  }

  @Override
  public void dropped(TopicPartition partition, long baseOffset) {
    drops.increment();
    LOG.debugf("preload: dropped partition=%s baseOffset=%d", partition, baseOffset);
  }

  @Override
  public void failed(TopicPartition partition, long baseOffset, WhenceException failure) {
    failures.increment();
    LOG.warnf(
        "preload: failed partition=%s baseOffset=%d reason=%s: %s",
        partition, baseOffset, failure.reason(), failure.getMessage());
  }

  @Override
  public void rebuilt(Path log) {
    rebuilds.increment();
    LOG.warnf("index files were missing or not as written, made again from the log: log=%s", log);
  }

  /** Tells how a start ended. */
  public void settled(PreloadStatus status, String warning, long tookMs) {
    String what = warning.isEmpty() ? "done" : "partial";
    LOG.infof(
        "preload: %s segments=%d/%d bytes=%d budget=%d ms=%d",
        what,
        status.loadedCount(),
        status.loadedCount() + status.unloadedCount(),
        status.loadedBytes(),
        status.budgetBytes(),
        tookMs);
    if (!warning.isEmpty()) {
      LOG.warnf("preload: %s", warning);
    }
  }
}
