package io.whence.grpc;

/**
 * The workers of each lane. Tasks of different owners get their turn one after the other, so that
 * one with many keeps nobody waiting for all of them. Thread safety: implementations are
 * thread-safe.
 */
public interface CallWorkers {
  /**
   * Runs a task on a worker of a lane.
   *
   * @param owner on whose behalf, compared by identity
   * @throws java.util.concurrent.RejectedExecutionException if too many tasks of the lane wait
   */
  void execute(CallLane lane, Object owner, Runnable task);

  /**
   * Returns for how long a task that came now would wait, in nanoseconds, judging by how long tasks
   * took lately; 0 if it would not.
   */
  long expectedWaitNanos(CallLane lane, Object owner);
}
