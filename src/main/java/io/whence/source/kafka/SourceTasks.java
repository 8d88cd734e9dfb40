package io.whence.source.kafka;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * Runs what a source does again and again, and what answers lead to. Invariant: a task that fails
 * is told of, and done again the next time; a scheduler alone would silently never run it again.
 * Thread safety: thread-safe.
 */
final class SourceTasks implements Executor {
  private final String source;
  private final ScheduledExecutorService scheduler;
  private final KafkaEvents events;

  /**
   * Makes one that runs nothing yet.
   *
   * @param source the name of the source
   * @param scheduler runs all of it
   */
  SourceTasks(String source, ScheduledExecutorService scheduler, KafkaEvents events) {
    this.source = source;
    this.scheduler = scheduler;
    this.events = events;
  }

  /**
   * Runs a task until the scheduler ends.
   *
   * @param interval how long after its end it begins again
   * @param delay when it begins first
   */
  void every(Duration interval, Duration delay, Runnable task) {
    ScheduledFuture<?> unused =
        scheduler.scheduleWithFixedDelay(
            () -> run(task), delay.toMillis(), interval.toMillis(), TimeUnit.MILLISECONDS);
  }

  @Override
  public void execute(Runnable task) {
    scheduler.execute(() -> run(task));
  }

  private void run(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      events.taskFailed(source, e);
    }
  }
}
