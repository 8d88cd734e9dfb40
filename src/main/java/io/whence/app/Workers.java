package io.whence.app;

import io.whence.ops.CallMetrics;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;

/** The bounded pool on which calls are answered. Thread safety: thread-safe. */
@Singleton
class Workers implements Executor {
  private static final int MIN_THREADS = 4;

  private final ThreadPoolExecutor pool;

  Workers(CheckedConfig checked) {
    WorkersConfig config = checked.values().workers();
    int processors = Runtime.getRuntime().availableProcessors();
    int threads = config.threads().orElse(Math.max(MIN_THREADS, 2 * processors));
    AtomicInteger number = new AtomicInteger();
    pool =
        new ThreadPoolExecutor(
            threads,
            threads,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(config.queue()),
            task -> new Thread(task, "whence-worker-" + number.incrementAndGet()),
            new ThreadPoolExecutor.AbortPolicy());
  }

  @Override
  public void execute(Runnable task) {
    pool.execute(task);
  }

  /** Shows the state of the pool. */
  void watch(CallMetrics metrics, IntSupplier callsInFlight) {
    metrics.watchWorkers(() -> pool.getQueue().size(), pool::getActiveCount, callsInFlight);
  }

  /** Takes no more work, waits for what is there, and interrupts what is left then. */
  void stop(Duration patience) throws InterruptedException {
    pool.shutdown();
    if (!pool.awaitTermination(patience.toMillis(), TimeUnit.MILLISECONDS)) {
      pool.shutdownNow();
    }
  }
}
