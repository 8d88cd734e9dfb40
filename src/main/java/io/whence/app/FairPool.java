package io.whence.app;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * A pool with bounded room for tasks that wait, in which owners take turns: one with many tasks
 * waiting keeps another one waiting for one of them, not for all. Thread safety: thread-safe.
 */
final class FairPool {
  /** How much the last task says about the next ones: a sixteenth. */
  private static final int SMOOTHING_BITS = 4;

  private final Object lock = new Object();
  private final int threads;
  private final int room;
  private final ThreadPoolExecutor pool;

  /** The tasks that wait, by owner; no owner without a task. */
  @GuardedBy("lock")
  private final Map<Object, Deque<Runnable>> byOwner = new IdentityHashMap<>();

  /** The owners with tasks that wait, in the order of their turns. */
  @GuardedBy("lock")
  private final Deque<Object> turns = new ArrayDeque<>();

  @GuardedBy("lock")
  private int waiting;

  @GuardedBy("lock")
  private int busy;

  @GuardedBy("lock")
  private long averageNanos;

  /**
   * Makes a pool.
   *
   * @param role names its threads
   * @param room how many tasks may wait
   */
  FairPool(String role, int threads, int room) {
    this.threads = threads;
    this.room = room;
    this.pool =
        (ThreadPoolExecutor) Executors.newFixedThreadPool(threads, NamedThreads.ofCalls(role));
  }

  /**
   * Runs a task.
   *
   * @param owner on whose behalf, compared by identity
   * @throws RejectedExecutionException if too many tasks wait, or the pool was stopped
   */
  void execute(Object owner, Runnable task) {
    synchronized (lock) {
      // What comes while a thread is free only passes through.
      if (waiting >= room) {
        throw new RejectedExecutionException(room + " tasks are waiting");
      }
      pool.execute(this::runNext); // One run for each task, whichever it is going to be.
      Deque<Runnable> tasks = byOwner.get(owner);
      if (tasks == null) {
        tasks = new ArrayDeque<>();
        byOwner.put(owner, tasks);
        turns.add(owner);
      }
      tasks.add(task);
      waiting++;
    }
  }

  private void runNext() {
    Runnable task = next();
    long startNanos = System.nanoTime();
    try {
      task.run();
    } finally {
      done(System.nanoTime() - startNanos);
    }
  }

  private Runnable next() {
    synchronized (lock) {
      Object owner = turns.remove();
      Deque<Runnable> tasks = byOwner.get(owner);
      if (tasks == null) {
        throw new IllegalStateException("an owner has a turn and no task");
      }
      Runnable task = tasks.remove();
      if (tasks.isEmpty()) {
        byOwner.remove(owner);
      } else {
        turns.add(owner);
      }
      waiting--;
      busy++;
      return task;
    }
  }

  private void done(long nanos) {
    synchronized (lock) {
      busy--;
      averageNanos += (nanos - averageNanos) >> SMOOTHING_BITS;
    }
  }

  /** Returns how many tasks wait. */
  int waiting() {
    synchronized (lock) {
      return waiting;
    }
  }

  /** Returns how many threads run a task. */
  int busy() {
    synchronized (lock) {
      return busy;
    }
  }

  /**
   * Returns for how long a task that came now would wait, judging by how long tasks took lately; 0
   * if it would be the first to wait.
   */
  long expectedWaitNanos(Object owner) {
    synchronized (lock) {
      Deque<Runnable> own = byOwner.get(owner);
      long before =
          own == null ? turns.size() : Math.min(waiting, (own.size() + 1L) * turns.size());
      return busy < threads ? 0 : before * averageNanos / threads;
    }
  }

  /** Takes no more tasks, waits for those that are there, and interrupts what is left then. */
  void stop(Duration patience) throws InterruptedException {
    pool.shutdown();
    if (!pool.awaitTermination(patience.toMillis(), TimeUnit.MILLISECONDS)) {
      pool.shutdownNow();
    }
  }
}
