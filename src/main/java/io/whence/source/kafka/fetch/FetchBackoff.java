package io.whence.source.kafka.fetch;

import java.time.Duration;

/**
 * How long a lane waits before it tries again what has failed: twice as long each time, less or
 * more by up to a tenth so that partitions don't all try at once.
 *
 * @param first the first wait
 * @param longest the longest wait
 * @param access the wait after a refusal for want of permission
 */
public record FetchBackoff(Duration first, Duration longest, Duration access) {
  /** 100 ms to 10 s; a minute after a refusal. */
  public static final FetchBackoff DEFAULT =
      new FetchBackoff(Duration.ofMillis(100), Duration.ofSeconds(10), Duration.ofMinutes(1));

  private static final int LONGEST_SHIFT = 20;
  private static final int JITTER_STEPS = 201;
  private static final double JITTER_STEP = 0.001;
  private static final double LEAST = 0.9;

  /** Rejects waits below a millisecond, and a longest one below the first. */
  public FetchBackoff {
    if (first.toMillis() < 1 || access.toMillis() < 1 || longest.compareTo(first) < 0) {
      throw new IllegalArgumentException(
          "back-off of " + first + " to " + longest + ", " + access + " for access");
    }
  }

  /**
   * Returns the wait before a retry.
   *
   * @param retry its number in a row; up to 0 for one without wait
   * @param salt makes the wait differ between those that fail together
   */
  long millis(int retry, int salt) {
    if (retry <= 0) {
      return 0;
    }
    long doubled = first.toMillis() << Math.min(retry - 1, LONGEST_SHIFT);
    return jittered(Math.min(doubled, longest.toMillis()), retry, salt);
  }

  /** Returns the wait after as many refusals in a row: a second at first, then {@link #access}. */
  long accessMillis(int refusals) {
    long doubled = 1000L << Math.min(refusals - 1, LONGEST_SHIFT);
    return Math.min(doubled, access.toMillis());
  }

  private static long jittered(long millis, int retry, int salt) {
    int step = (((salt * 31 + retry) * 0x9E3779B1) >>> Short.SIZE) % JITTER_STEPS;
    return Math.max(1, Math.round(millis * (LEAST + step * JITTER_STEP)));
  }
}
