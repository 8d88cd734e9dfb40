package io.whence.app;

import io.whence.grpc.Watches;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/** Lets time pass for the watches, and ends them at the stop. Thread safety: thread-safe. */
@Singleton
class WatchTicker {
  private static final Logger LOG = Logger.getLogger(WatchTicker.class);
  private static final Duration INTERVAL = Duration.ofMillis(200);

  private final Watches watches;
  private final ScheduledExecutorService thread =
      new PeriodicThread(new NamedThreads("whence-watch"));

  WatchTicker(Watches watches) {
    this.watches = watches;
  }

  /** Starts the thread. */
  void start() {
    ScheduledFuture<?> unused =
        thread.scheduleWithFixedDelay(
            this::tick, INTERVAL.toMillis(), INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void tick() {
    try {
      watches.tick(System.nanoTime());
    } catch (RuntimeException e) {
      // Thrown on, it would be the last tick.
      LOG.error("what is due of watches could not be seen to", e);
    }
  }

  /** Ends all watches and the thread. */
  void stop() {
    watches.drain();
    thread.shutdownNow();
  }
}
