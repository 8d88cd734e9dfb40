package io.whence.commit.kafka;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs work on groups: that of one group in order, one after the other; that of several groups at
 * once. A group without work takes no memory. Thread safety: thread-safe.
 */
final class GroupLanes implements AutoCloseable {
  /** A cluster that stands still must not fill the memory. */
  static final int MAX_WAITING = 10_000;

  private final Object lock = new Object();
  private final Executor executor;

  /** The work of the groups of which some is being done; that itself is not in it. */
  @GuardedBy("lock")
  private final Map<String, Deque<Task<?>>> lanes = new HashMap<>();

  @GuardedBy("lock")
  private int waiting;

  @GuardedBy("lock")
  private boolean closed;

  GroupLanes(Executor executor) {
    this.executor = executor;
  }

  /** A piece of work, and who waits for it. */
  private record Task<T>(Supplier<T> work, CompletableFuture<T> result) {
    /** Does the work; what waits for it goes on afterwards, so that the group isn't held up. */
    Runnable run() {
      try {
        T value = work.get();
        return () -> result.complete(value);
      } catch (RuntimeException | Error e) {
        return () -> result.completeExceptionally(e);
      }
    }

    void fail(RuntimeException failure) {
      result.completeExceptionally(failure);
    }
  }

  /**
   * Runs work when its turn comes.
   *
   * @return completes with what it returns, on a thread of the executor
   * @throws WhenceException {@code OVERLOADED} if too much waits, {@code DRAINING} after the close
   */
  <T> CompletableFuture<T> run(String group, Supplier<T> work) {
    Task<T> task = new Task<>(work, new CompletableFuture<>());
    synchronized (lock) {
      requireOpen();
      Deque<Task<?>> lane = lanes.get(group);
      if (lane != null) {
        lane.add(task);
        waiting++;
        return task.result();
      }
      lanes.put(group, new ArrayDeque<>());
    }
    try {
      executor.execute(() -> run(group, task));
    } catch (RejectedExecutionException e) {
      reject(group);
      throw overloaded();
    }
    return task.result();
  }

  @GuardedBy("lock")
  private void requireOpen() {
    if (closed) {
      throw WhenceException.of(ErrorReason.DRAINING, "the source is being closed");
    }
    if (waiting >= MAX_WAITING) {
      throw overloaded();
    }
  }

  private static WhenceException overloaded() {
    return WhenceException.of(
        ErrorReason.OVERLOADED, "too many commits wait for the cluster; retry after a pause");
  }

  /** Work may have come for a group while it was being rejected. */
  private void reject(String group) {
    List<Task<?>> rejected = new ArrayList<>();
    synchronized (lock) {
      Deque<Task<?>> lane = lanes.remove(group);
      if (lane != null) {
        rejected.addAll(lane);
        waiting -= lane.size();
      }
    }
    rejected.forEach(task -> task.fail(overloaded()));
  }

  private void run(String group, Task<?> first) {
    Task<?> task = first;
    while (task != null) {
      Runnable told = task.run();
      task = next(group);
      if (task != null && handOver(group, task)) {
        task = null;
      }
      told.run();
    }
  }

  private @Nullable Task<?> next(String group) {
    synchronized (lock) {
      Deque<Task<?>> lane = lanes.get(group);
      Task<?> next = lane == null ? null : lane.poll();
      if (next == null) {
        lanes.remove(group);
      } else {
        waiting--;
      }
      return next;
    }
  }

  /** Other groups have their turn, too; where there is no room, this thread goes on. */
  private boolean handOver(String group, Task<?> task) {
    try {
      executor.execute(() -> run(group, task));
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
  }

  /** Refuses more work, and what waits; what is being done goes on. */
  @Override
  public void close() {
    List<Task<?>> refused = new ArrayList<>();
    synchronized (lock) {
      closed = true;
      lanes
          .values()
          .forEach(
              lane -> {
                refused.addAll(lane);
                lane.clear();
              });
      waiting = 0;
    }
    refused.forEach(
        task -> task.fail(WhenceException.of(ErrorReason.DRAINING, "the source is being closed")));
  }
}
