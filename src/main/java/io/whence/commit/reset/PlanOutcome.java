package io.whence.commit.reset;

/** What a plan does to a partition. */
public enum PlanOutcome {
  /** Commits the planned offset. */
  MOVE,
  /** The planned offset is committed already. */
  UNCHANGED,
  /** The target leads nowhere; the planned offset is the nearest place, and needs a yes. */
  FALLBACK,
  /** There is nothing to do. */
  SKIP,
  /** Could not be planned. */
  FAILED
}
