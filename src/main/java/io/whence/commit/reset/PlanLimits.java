package io.whence.commit.reset;

import java.time.Duration;

/**
 * How long and how many plans are kept. Thread safety: immutable.
 *
 * @param timeToLive how long a plan can be applied
 * @param plans how many plans are kept at the most
 * @param partitions how many partitions these have at the most, all together; the newest plan is
 *     kept, however large
 */
public record PlanLimits(Duration timeToLive, int plans, long partitions) {
  /** Rejects limits that keep nothing. */
  public PlanLimits {
    if (timeToLive.isNegative() || timeToLive.isZero() || plans < 1 || partitions < 1) {
      throw new IllegalArgumentException("limits of plans must be positive");
    }
  }
}
