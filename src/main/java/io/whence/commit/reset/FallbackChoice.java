package io.whence.commit.reset;

/** What to do with the fall-backs of a plan. */
public enum FallbackChoice {
  /** Refuses the plan while there is one that is not accepted by name. */
  REFUSE,
  /** Commits all. */
  ACCEPT,
  /** Leaves partitions alone whose fall-back is not accepted by name. */
  LEAVE_OUT
}
