package io.whence.bench.steady;

import io.whence.bench.Caller;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/**
 * Calls at fixed times. A call that is late because the one before took long counts from when it
 * was due, so that what a slow server keeps waiting is seen. Thread safety: thread-safe.
 */
final class PacedCaller implements Callable<Void> {
  private final Object lock = new Object();
  private final Caller caller;
  private final long startNanos;
  private final long intervalNanos;
  private long[] nanos = new long[1024];
  private int count;

  /**
   * Makes a caller.
   *
   * @param startNanos when its first call is due
   * @param intervalNanos how much later each next one is
   */
  PacedCaller(Caller caller, long startNanos, long intervalNanos) {
    this.caller = caller;
    this.startNanos = startNanos;
    this.intervalNanos = intervalNanos;
  }

  @Override
  public Void call() throws Exception {
    long due = startNanos;
    while (!Thread.currentThread().isInterrupted()) {
      caller.prepare();
      long wait = due - System.nanoTime();
      while (wait > 0 && !Thread.currentThread().isInterrupted()) {
        LockSupport.parkNanos(wait);
        wait = due - System.nanoTime();
      }
      if (wait <= 0) {
        caller.call();
        add(System.nanoTime() - due);
        caller.check();
      }
      due += intervalNanos;
    }
    return null;
  }

  private void add(long taken) {
    synchronized (lock) {
      if (count == nanos.length) {
        nanos = Arrays.copyOf(nanos, count * 2);
      }
      nanos[count++] = taken;
    }
  }

  /** Returns how long the calls took since the last time it was asked. */
  long[] take() {
    synchronized (lock) {
      long[] taken = Arrays.copyOf(nanos, count);
      count = 0;
      return taken;
    }
  }
}
