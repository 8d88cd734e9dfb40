package io.whence.app;

import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/**
 * One thread that does things again and again. Invariant: none of them ends silently. One that
 * fails is told of and done again the next time, and an error ends the process; a scheduler alone
 * would keep both to itself, and never run the task again. Thread safety: thread-safe.
 */
final class PeriodicThread extends ScheduledThreadPoolExecutor {
  private static final Logger LOG = Logger.getLogger("io.whence");

  PeriodicThread(NamedThreads threads) {
    super(1, threads);
  }

  @Override
  public ScheduledFuture<?> scheduleWithFixedDelay(
      Runnable task, long initialDelay, long delay, TimeUnit unit) {
    return super.scheduleWithFixedDelay(() -> run(task), initialDelay, delay, unit);
  }

  @Override
  public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
    return super.schedule(() -> run(task), delay, unit);
  }

  private static void run(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      LOG.errorf(e, "a task failed: thread=%s", Thread.currentThread().getName());
    } catch (Error e) {
      FatalErrors.HANDLER.uncaughtException(Thread.currentThread(), e);
      throw e;
    }
  }
}
