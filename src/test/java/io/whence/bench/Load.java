package io.whence.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

/**
 * Runs callers side by side for a while, each on a thread of its own. The first call that fails
 * ends the benchmark. Thread safety: thread-safe.
 */
public final class Load {
  /** Longer than any deadline of a call. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(120);

  private Load() {}

  /** What one caller measured. */
  private record Run(long[] nanos, long endNanos) {}

  /** Runs callers for so long, and measures each call. */
  public static Sample run(List<? extends Caller> callers, long nanos) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(callers.size());
    try {
      long[] startNanos = new long[1];
      CyclicBarrier start =
          new CyclicBarrier(callers.size(), () -> startNanos[0] = System.nanoTime());
      List<Future<Run>> runs = new ArrayList<>();
      for (Caller caller : callers) {
        runs.add(
            threads.submit(
                () -> {
                  start.await(10, TimeUnit.SECONDS);
                  return repeat(caller, startNanos[0] + nanos);
                }));
      }
      return sum(runs, nanos + PATIENCE_NANOS, startNanos);
    } finally {
      threads.shutdownNow();
    }
  }

  private static Run repeat(Caller caller, long deadlineNanos) throws Exception {
    long[] taken = new long[1024];
    int count = 0;
    long now;
    do {
      caller.prepare();
      long began = System.nanoTime();
      caller.call();
      now = System.nanoTime();
      if (count == taken.length) {
        taken = Arrays.copyOf(taken, count * 2);
      }
      taken[count++] = now - began;
      caller.check();
    } while (now < deadlineNanos);
    return new Run(Arrays.copyOf(taken, count), now);
  }

  private static Sample sum(List<Future<Run>> runs, long limitNanos, long[] startNanos)
      throws Exception {
    LongStream all = LongStream.empty();
    long endNanos = Long.MIN_VALUE;
    for (Future<Run> run : runs) {
      try {
        Run done = run.get(limitNanos, TimeUnit.NANOSECONDS);
        all = LongStream.concat(all, Arrays.stream(done.nanos()));
        endNanos = Math.max(endNanos, done.endNanos());
      } catch (ExecutionException e) {
        throw new IllegalStateException("a call failed: " + e.getCause(), e.getCause());
      }
    }
    return Sample.of(all.toArray(), endNanos - startNanos[0]);
  }
}
