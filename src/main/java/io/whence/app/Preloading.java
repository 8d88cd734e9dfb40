package io.whence.app;

import io.whence.log.LogMemory;
import io.whence.log.Preload;
import io.whence.log.PreloadSource;
import io.whence.ops.PreloadMetrics;
import io.whence.source.LogSource;
import jakarta.inject.Singleton;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/**
 * Loads time indexes at the start, and keeps in memory from then on what there is room for, on a
 * thread of its own. Thread safety: single-writer; one thread starts it, then one closes it.
 */
@Singleton
class Preloading implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(Preloading.class);
  private static final int PATIENCE_SECONDS = 5;
  private static final int LOOK_INTERVAL_MS = 1000;

  private final Preload preload;
  private final PreloadMetrics metrics;
  private final InstantSource clock;
  private final ScheduledExecutorService scheduler =
      new PeriodicThread(new NamedThreads("whence-preload"));

  private volatile boolean closed;

  Preloading(LogMemory memory, PreloadMetrics metrics, InstantSource clock) {
    this.preload = memory.preload();
    this.metrics = metrics;
    this.clock = clock;
    metrics.watch(preload::status);
  }

  /** Loads what a start waits for, and returns when it is loaded. */
  void start(List<LogSource> sources) throws InterruptedException {
    for (LogSource source : sources) {
      if (source instanceof PreloadSource logs) {
        preload.add(logs);
      }
    }
    long startNanos = System.nanoTime();
    load();
    metrics.settled(
        preload.status(),
        preload.warning().orElse(""),
        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos));
    ScheduledFuture<?> unused =
        scheduler.scheduleWithFixedDelay(
            this::look, LOOK_INTERVAL_MS, LOOK_INTERVAL_MS, TimeUnit.MILLISECONDS);
  }

  private void load() throws InterruptedException {
    int threads = Runtime.getRuntime().availableProcessors();
    ExecutorService loader =
        Executors.newFixedThreadPool(threads, new NamedThreads("whence-preload-start"));
    try {
      preload.start(loader, threads, clock.millis());
    } finally {
      loader.shutdownNow();
    }
  }

  /** A look that fails is made again after the interval. */
  private void look() {
    try {
      boolean more = true;
      while (more && !closed) {
        more = preload.look(clock.millis());
      }
    } catch (RuntimeException e) {
      LOG.error("preload failed, and is tried again", e);
    }
  }

  /** Loads no more; doesn't interrupt a load, which would close the file that it reads. */
  @Override
  public void close() throws InterruptedException {
    closed = true;
    preload.stop();
    scheduler.shutdown();
    if (!scheduler.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      scheduler.shutdownNow();
    }
  }
}
