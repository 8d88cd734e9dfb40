package io.whence.timeline;

import io.whence.model.TimestampType;

/**
 * The record that a search found, in an object that is used again. Thread safety: single-writer.
 */
public final class TimelineHit {
  private boolean found;
  private long offset;
  private long timestampMs;
  private RecordMarks marks = RecordMarks.NONE;

  boolean set(long newOffset, long newMs, RecordMarks newMarks) {
    found = true;
    offset = newOffset;
    timestampMs = newMs;
    marks = newMarks;
    return true;
  }

  /** Forgets the record. Returns false. */
  boolean clear() {
    found = false;
    return false;
  }

  /** Returns whether there is a record; the methods below have no meaning if not. */
  public boolean isFound() {
    return found;
  }

  /** Returns the offset. */
  public long offset() {
    return offset;
  }

  /** Returns the timestamp in epoch milliseconds; negative when the record has none. */
  public long timestampMs() {
    return timestampMs;
  }

  /** Returns who set the timestamp. */
  public TimestampType timestampType() {
    return marks.timestampType(offset);
  }

  /** Returns the leader epoch of the record; negative when the log does not say. */
  public int leaderEpoch() {
    return marks.leaderEpoch(offset);
  }
}
