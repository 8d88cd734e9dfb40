package io.whence.bench;

import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * How long calls took. Thread safety: immutable.
 *
 * @param p50Ms half of the calls took no longer, in milliseconds
 * @param p99Ms 99 of 100 calls took no longer
 * @param callsPerSecond of all callers together
 */
public record Sample(double p50Ms, double p99Ms, double callsPerSecond) {
  private static final double NANOS_PER_MS = 1e6;
  private static final double NANOS_PER_SECOND = 1e9;

  /**
   * Sums up what was measured.
   *
   * @param nanos how long each call took
   * @param elapsedNanos from the start of the first call to the end of the last one
   */
  public static Sample of(long[] nanos, long elapsedNanos) {
    if (nanos.length == 0) {
      throw new IllegalArgumentException("nothing was measured");
    }
    long[] sorted = nanos.clone();
    Arrays.sort(sorted);
    return new Sample(
        percentile(sorted, 50) / NANOS_PER_MS,
        percentile(sorted, 99) / NANOS_PER_MS,
        sorted.length * NANOS_PER_SECOND / elapsedNanos);
  }

  /** The smallest value that at least so many of 100 values do not exceed. */
  private static long percentile(long[] sorted, int percent) {
    long rank = ((long) sorted.length * percent + 99) / 100;
    return sorted[(int) Math.max(rank, 1) - 1];
  }

  /** Returns the median of each figure. */
  public static Sample median(List<Sample> rounds) {
    return new Sample(
        median(rounds, Sample::p50Ms),
        median(rounds, Sample::p99Ms),
        median(rounds, Sample::callsPerSecond));
  }

  private static double median(List<Sample> rounds, ToDoubleFunction<Sample> figure) {
    double[] sorted = rounds.stream().mapToDouble(figure).sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
