package io.whence.grpc;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;

/** An event loop and workers that do what a test lets them. Thread safety: single-writer. */
final class HandLoop implements EventLoop, CallWorkers {
  final Deque<Runnable> turns = new ArrayDeque<>();
  final Deque<Runnable> work = new ArrayDeque<>();
  final List<Timer> timers = new ArrayList<>();
  boolean workersAreFull;
  long expectedWaitNanos;
  long nanos;

  /** Returns both as what calls run on. */
  CallThreads threads() {
    return new CallThreads(this, () -> this, () -> nanos);
  }

  @Override
  public long expectedWaitNanos(CallLane lane, Object owner) {
    return expectedWaitNanos;
  }

  @Override
  public void execute(CallLane lane, Object owner, Runnable task) {
    if (workersAreFull) {
      throw new RejectedExecutionException("full");
    }
    work.add(task);
  }

  @Override
  public boolean isCurrent() {
    return true;
  }

  @Override
  public void execute(Runnable task) {
    turns.add(task);
  }

  @Override
  public Runnable schedule(Runnable task, Duration delay) {
    Timer timer = new Timer(task, delay);
    timers.add(timer);
    return () -> timers.remove(timer);
  }

  /** Lets the loop run what waits, and what comes by that. */
  void runTurns() {
    run(turns);
  }

  /** Lets workers do what waits. */
  void runWork() {
    run(work);
  }

  /** Lets loop and workers do all there is. */
  void runAll() {
    while (!turns.isEmpty() || !work.isEmpty()) {
      runTurns();
      runWork();
    }
  }

  private static void run(Deque<Runnable> tasks) {
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
    }
  }

  /**
   * A task that waits for its time.
   *
   * @param task what to run
   * @param delay after how long
   */
  record Timer(Runnable task, Duration delay) {}
}
