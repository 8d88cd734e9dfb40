package io.whence.commit;

/** What the lag of one partition came to. */
public enum LagStatus {
  /** No record is left to read. */
  CAUGHT_UP,
  /** Records are left to read. */
  BEHIND,
  /** The offset lies below the log start; the lag counts from the log start. */
  BELOW_START,
  /** The offset lies above the end; the lag is 0. */
  AHEAD_OF_END,
  /** Nothing is committed: no lag. */
  NO_OFFSET,
  /** The topic was deleted and created again since: no lag. */
  STALE_TOPIC,
  /** There is no such topic: no lag. */
  UNKNOWN_TOPIC,
  /** The topic has no such partition: no lag. */
  UNKNOWN_PARTITION,
  /** Could not be told: no lag. */
  FAILED;

  /** Returns whether there is a lag, be it 0. */
  public boolean isKnown() {
    return switch (this) {
      case CAUGHT_UP, BEHIND, BELOW_START, AHEAD_OF_END -> true;
      case NO_OFFSET, STALE_TOPIC, UNKNOWN_TOPIC, UNKNOWN_PARTITION, FAILED -> false;
    };
  }
}
