package io.whence.grpc;

import java.time.Duration;
import java.util.concurrent.Executor;

/** One event loop: what it runs must not wait. Thread safety: implementations are thread-safe. */
public interface EventLoop extends Executor {
  /** Returns whether the current thread is this loop's. */
  boolean isCurrent();

  /** Runs a task later: after what is waiting now, also when called by a task of this loop. */
  @Override
  void execute(Runnable task);

  /**
   * Runs a task after a while.
   *
   * @return takes the task back, unless it has run
   */
  Runnable schedule(Runnable task, Duration delay);
}
