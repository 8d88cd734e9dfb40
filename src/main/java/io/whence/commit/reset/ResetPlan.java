package io.whence.commit.reset;

import java.util.List;

/**
 * A plan that is kept. Thread safety: immutable.
 *
 * @param id names the plan: 22 characters of URL-safe base64
 * @param source the source
 * @param group the group
 * @param expiresAtMs until when it can be applied, exclusive, in epoch milliseconds
 * @param partitions what it does, by topic and partition
 */
public record ResetPlan(
    String id, String source, String group, long expiresAtMs, List<PlannedReset> partitions) {
  /** Copies the partitions. */
  public ResetPlan {
    partitions = List.copyOf(partitions);
  }

  /** Returns whether it can be applied without a decision on fall-backs. */
  public boolean isReady() {
    return partitions.stream()
        .map(PlannedReset::outcome)
        .noneMatch(outcome -> outcome == PlanOutcome.FALLBACK || outcome == PlanOutcome.FAILED);
  }
}
