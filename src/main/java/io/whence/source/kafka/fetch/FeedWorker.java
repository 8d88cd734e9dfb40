package io.whence.source.kafka.fetch;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Hands to feeds what the I/O thread has got, so that fetching goes on meanwhile. Invariant: tasks
 * run in order, one at a time, and none begins after {@link #stop}. Its queue is bounded by those
 * who submit: two answers of each broker, a question of each partition, and a fault of each between
 * these. Thread safety: thread-safe.
 */
final class FeedWorker implements Runnable {
  private final BlockingQueue<Task> tasks = new LinkedBlockingQueue<>();
  private volatile boolean stopped;
  private volatile boolean ended;

  /** Something to do. */
  interface Task {
    /** Does it. */
    void run();

    /** Is called instead where the worker was stopped before. */
    default void dropped() {}
  }

  /** Adds a task. */
  void submit(Task task) {
    tasks.add(task);
    if (ended) {
      drop();
    }
  }

  /** Adds a task that is done in turn, or when no more is done before it. */
  void submitAlways(Runnable action) {
    submit(
        new Task() {
          @Override
          public void run() {
            action.run();
          }

          @Override
          public void dropped() {
            action.run();
          }
        });
  }

  /** Lets the task that runs be the last one. */
  void stop() {
    stopped = true;
    tasks.add(() -> {});
  }

  /** Returns whether there is to be no further call into a feed. */
  boolean isStopped() {
    return stopped;
  }

  @Override
  public void run() {
    try {
      while (!stopped) {
        Task task = tasks.take();
        if (stopped) {
          task.dropped();
        } else {
          task.run();
        }
      }
    } catch (InterruptedException e) {
      stopped = true;
      Thread.currentThread().interrupt();
    } finally {
      stopped = true;
      ended = true;
      drop();
    }
  }

  private void drop() {
    Task task = tasks.poll();
    while (task != null) {
      task.dropped();
      task = tasks.poll();
    }
  }
}
