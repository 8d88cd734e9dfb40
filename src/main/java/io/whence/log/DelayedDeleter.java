package io.whence.log;

import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * Deletes files of removed segments once their readers have had time to be done. Thread safety:
 * thread-safe.
 */
public final class DelayedDeleter implements LogEnvironment.FileDeleter {
  private final ScheduledExecutorService scheduler;
  private final Duration delay;
  private final Set<LogEnvironment.Deletion> pending = ConcurrentHashMap.newKeySet();

  /**
   * Makes a deleter.
   *
   * @param scheduler runs the deletions; once it is shut down, they wait for {@link #deletePending}
   * @param delay how long readers have; 0 or more
   */
  public DelayedDeleter(ScheduledExecutorService scheduler, Duration delay) {
    this.scheduler = scheduler;
    this.delay = delay;
  }

  @Override
  public void deleteLater(LogEnvironment.Deletion deletion) {
    pending.add(deletion);
    try {
      ScheduledFuture<?> unused =
          scheduler.schedule(() -> delete(deletion), delay.toMillis(), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      // Stopping, which deletes what is pending.
    }
  }

  /** Deletes what was to be deleted later; no reader may be left. */
  public void deletePending() {
    pending.forEach(this::delete);
  }

  private void delete(LogEnvironment.Deletion deletion) {
    if (pending.remove(deletion)) {
      try {
        deletion.run();
      } catch (IOException e) {
        // Marked as deleted: the next start tries again.
      }
    }
  }
}
