package io.whence.grpc;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;

/** Workers that work when a test says so. Thread safety: single-writer. */
final class ManualWorkers implements CallWorkers {
  private final Map<CallLane, Deque<Runnable>> queues = new EnumMap<>(CallLane.class);
  private boolean isFull;
  private long waitNanos;

  /** Refuses what comes from here on, or takes it again. */
  void fill(boolean full) {
    isFull = full;
  }

  /** Says how long tasks would wait. */
  void expectWait(long nanos) {
    waitNanos = nanos;
  }

  @Override
  public void execute(CallLane lane, Object owner, Runnable task) {
    if (isFull) {
      throw new RejectedExecutionException("full");
    }
    queue(lane).add(task);
  }

  @Override
  public long expectedWaitNanos(CallLane lane, Object owner) {
    return waitNanos;
  }

  int waiting(CallLane lane) {
    return queue(lane).size();
  }

  /** Does all that waits in all lanes. */
  void work() {
    for (CallLane lane : CallLane.values()) {
      work(lane);
    }
  }

  /** Does all that waits in a lane. */
  void work(CallLane lane) {
    for (Runnable task = queue(lane).poll(); task != null; task = queue(lane).poll()) {
      task.run();
    }
  }

  private Deque<Runnable> queue(CallLane lane) {
    return queues.computeIfAbsent(lane, key -> new ArrayDeque<>());
  }
}
