package io.whence.app;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.whence.model.ClusterWait;
import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A pool with bounded room for tasks that wait, in which owners take turns: one with many tasks
 * waiting keeps another one waiting for one of them, not for all. While a task waits for a cluster
 * ({@link ClusterWait}), another one has its place. Thread safety: thread-safe.
 */
final class FairPool {
  /** How much the last task says about the next ones: a sixteenth. */
  private static final int SMOOTHING_BITS = 4;

  /** How many tasks may wait for clusters besides those that run; more are refused. */
  private static final int MAX_CLUSTER_WAITS = 256;

  private static final int IDLE_SECONDS = 60;

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

  /** The tasks that run, and don't wait for a cluster. Above the threads after waits have ended. */
  @GuardedBy("lock")
  private int busy;

  @GuardedBy("lock")
  private int clusterWaits;

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
    AtomicInteger number = new AtomicInteger();
    // There are never more than are started here: one for each task that runs or waits.
    this.pool =
        new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            task -> new Thread(task, role + "-" + number.incrementAndGet()));
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
      if (waiting >= room || pool.isShutdown()) {
        throw new RejectedExecutionException(room + " tasks are waiting, or the pool was stopped");
      }
      Deque<Runnable> tasks = byOwner.get(owner);
      if (tasks == null) {
        tasks = new ArrayDeque<>();
        byOwner.put(owner, tasks);
        turns.add(owner);
      }
      tasks.add(task);
      waiting++;
      startThread();
    }
  }

  /** Lets another task run, if there is one and a place for it. */
  @GuardedBy("lock")
  private void startThread() {
    if (waiting > 0 && busy < threads && !pool.isShutdown()) {
      pool.execute(this::runTasks);
      busy++;
    }
  }

  private void runTasks() {
    boolean ended = false;
    try {
      for (Runnable task = next(); task != null; task = next()) {
        run(task);
      }
      ended = true;
    } finally {
      if (!ended) {
        leave();
      }
    }
  }

  private void run(Runnable task) {
    Waits waits = new Waits();
    long startNanos = System.nanoTime();
    try {
      ClusterWait.run(task, waits);
    } finally {
      long nanos = System.nanoTime() - startNanos - waits.nanos;
      synchronized (lock) {
        averageNanos += (nanos - averageNanos) >> SMOOTHING_BITS;
      }
    }
  }

  /** Returns what to run; nothing, and leaves, if nothing waits or more run than should. */
  private @Nullable Runnable next() {
    synchronized (lock) {
      if (turns.isEmpty() || busy > threads) {
        busy--;
        return null;
      }
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
      return task;
    }
  }

  /** A task failed, and with it its thread. */
  private void leave() {
    synchronized (lock) {
      busy--;
      startThread();
    }
  }

  /** Returns how many tasks wait. */
  int waiting() {
    synchronized (lock) {
      return waiting;
    }
  }

  /** Returns how many threads run a task that waits for no cluster. */
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
    synchronized (lock) {
      pool.shutdown();
    }
    if (!pool.awaitTermination(patience.toMillis(), TimeUnit.MILLISECONDS)) {
      pool.shutdownNow();
    }
  }

  /** The waits of one task, which leaves its place meanwhile. Thread safety: single-writer. */
  private final class Waits implements ClusterWait.Waiter {
    private long beganNanos;
    private long nanos;

    @Override
    public void waitBegins() {
      synchronized (lock) {
        if (clusterWaits >= MAX_CLUSTER_WAITS) {
          throw WhenceException.of(
              ErrorReason.OVERLOADED,
              MAX_CLUSTER_WAITS + " calls wait for a cluster already; retry after a pause");
        }
        boolean begun = false;
        clusterWaits++;
        busy--;
        try {
          startThread();
          begun = true;
        } finally {
          if (!begun) { // Such as no more threads: it keeps its place.
            clusterWaits--;
            busy++;
          }
        }
      }
      beganNanos = System.nanoTime();
    }

    @Override
    public void waitEnds() {
      nanos += System.nanoTime() - beganNanos;
      synchronized (lock) {
        clusterWaits--;
        busy++;
      }
    }
  }
}
