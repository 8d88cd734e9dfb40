package io.whence.log;

import org.jspecify.annotations.Nullable;

/**
 * What is known of the part of a leader's log that lies before the one that follows it. Thread
 * safety: single-writer; the lock of the log guards it.
 */
final class LeaderHead {
  private static final long UNKNOWN = -1;

  /** Where the leader's log begins. */
  private long startOffset = UNKNOWN;

  /** Below this offset no record is at or after that time. */
  private long provenEnd;

  private long provenMs = Long.MAX_VALUE;

  /** Takes where the leader's log begins; returns whether that is new. */
  boolean setStart(long offset) {
    boolean isNew = offset != startOffset;
    startOffset = offset;
    return isNew;
  }

  /**
   * Takes that no record below an offset is at or after a time. What reaches further counts, and of
   * two that reach as far the lower time.
   *
   * @return whether that is new
   */
  boolean prove(long endOffset, long belowMs) {
    boolean isNew = endOffset > provenEnd || (endOffset == provenEnd && belowMs < provenMs);
    if (isNew) {
      provenEnd = endOffset;
      provenMs = belowMs;
    }
    return isNew;
  }

  /** Drops what was proven: what lies before may be another history now. */
  void forgetProof() {
    provenEnd = 0;
    provenMs = Long.MAX_VALUE;
  }

  /** Returns the head of a log that is followed from an offset on; null if it has none. */
  @Nullable UnfollowedHead before(long firstOffset) {
    if (startOffset == UNKNOWN || startOffset >= firstOffset) {
      return null;
    }
    // As long as the log is not begun anew, records below stay as they are or are removed.
    long belowMs = firstOffset <= provenEnd ? provenMs : Long.MAX_VALUE;
    return new UnfollowedHead(startOffset, firstOffset, belowMs);
  }
}
