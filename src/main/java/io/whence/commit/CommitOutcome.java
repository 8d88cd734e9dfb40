package io.whence.commit;

/** What became of a commit. */
public enum CommitOutcome {
  /** It is made. */
  COMMITTED,
  /** The same was committed before; only the time is new. */
  UNCHANGED,
  /** Another entry of an atomic request was refused. */
  NOT_APPLIED,
  /** It was refused. */
  FAILED
}
