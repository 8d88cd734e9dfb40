package io.whence.source.kafka.fetch;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * What other threads have for the I/O thread of a lane to do. Invariant: what was taken is run, in
 * order, or refused. Thread safety: thread-safe; one thread runs.
 */
final class LaneInbox {
  private final Object lock = new Object();
  private volatile Runnable wakeup = () -> {};

  @GuardedBy("lock")
  private final Queue<Runnable> tasks = new ArrayDeque<>();

  @GuardedBy("lock")
  private boolean closed;

  /**
   * Says how the thread that runs is told.
   *
   * @param action ends the wait of the thread, or its next one
   */
  void onTask(Runnable action) {
    wakeup = action;
  }

  /** Adds a task. Returns whether it will be run. */
  boolean post(Runnable task) {
    synchronized (lock) {
      if (closed) {
        return false;
      }
      tasks.add(task);
    }
    wakeup.run();
    return true;
  }

  /** Runs what is there. */
  void run() {
    Runnable task = next();
    while (task != null) {
      task.run();
      task = next();
    }
  }

  /** Runs what is there, and takes nothing more. */
  void close() {
    synchronized (lock) {
      closed = true;
    }
    run();
  }

  private @Nullable Runnable next() {
    synchronized (lock) {
      return tasks.poll();
    }
  }
}
