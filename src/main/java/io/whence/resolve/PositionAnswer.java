package io.whence.resolve;

import io.whence.log.LogSnapshot;
import io.whence.model.IsolationLevel;
import io.whence.model.LogBounds;
import io.whence.model.Origin;
import io.whence.model.Outcome;
import io.whence.model.RecordStamp;
import io.whence.model.Resolution;
import io.whence.model.TimestampType;

/**
 * The answer about one position, in an object that is used again: so that answers from memory leave
 * no garbage. Thread safety: single-writer.
 */
public final class PositionAnswer {
  /** Here, since it is as little to be shared, and as often to be used again. */
  private final MemoryResolver resolver = new MemoryResolver();

  private Outcome outcome = Outcome.EMPTY;
  private long offset;
  private long boundaryOffset;
  private long logStartOffset;
  private long endOffset;
  private boolean startCut;
  private Origin origin = Origin.MEMORY;
  private boolean hasRecord;
  private long recordOffset;
  private long recordMs;
  private TimestampType timestampType = TimestampType.CREATE_TIME;
  private int leaderEpoch;

  MemoryResolver resolver() {
    return resolver;
  }

  /** Begins an answer about a log: all else is as for an answer without a record. */
  void begin(LogSnapshot log, IsolationLevel isolation) {
    logStartOffset = log.logStartOffset();
    endOffset = log.endOffset(isolation);
    outcome = Outcome.EMPTY;
    offset = 0;
    boundaryOffset = 0;
    startCut = false;
    origin = Origin.MEMORY;
    hasRecord = false;
  }

  /** Takes over an answer. */
  public void set(Resolution resolution) {
    outcome = resolution.outcome();
    offset = resolution.offset();
    boundaryOffset = resolution.boundaryOffset();
    logStartOffset = resolution.bounds().logStartOffset();
    endOffset = resolution.bounds().endOffset();
    startCut = resolution.startCut();
    origin = resolution.origin();
    RecordStamp record = resolution.record();
    hasRecord = record != null;
    if (record != null) {
      setRecord(
          record.offset(),
          record.timestampMs(),
          record.timestampType(),
          record.partitionLeaderEpoch());
    }
  }

  /** Returns the answer as a value of its own. */
  public Resolution toResolution() {
    return new Resolution(
        outcome,
        outcome == Outcome.FOUND ? offset : 0,
        hasRecord ? new RecordStamp(recordOffset, recordMs, timestampType, leaderEpoch) : null,
        boundaryOffset,
        new LogBounds(logStartOffset, endOffset),
        startCut,
        origin);
  }

  void setRecord(long newOffset, long newMs, TimestampType newType, int newEpoch) {
    hasRecord = true;
    recordOffset = newOffset;
    recordMs = newMs;
    timestampType = newType;
    leaderEpoch = newEpoch;
  }

  void found(long foundOffset) {
    outcome = Outcome.FOUND;
    offset = foundOffset;
  }

  void nothing(Outcome newOutcome) {
    outcome = newOutcome;
  }

  void setBoundaryOffset(long newBoundaryOffset) {
    boundaryOffset = newBoundaryOffset;
  }

  void setStartCut(boolean newStartCut) {
    startCut = newStartCut;
  }

  /** Returns what the lookup came to. */
  public Outcome outcome() {
    return outcome;
  }

  /** Returns the offset; meaningful only when {@code FOUND}. */
  public long offset() {
    return offset;
  }

  /** Returns the boundary of an {@code AllAfter}; 0 for other positions. */
  public long boundaryOffset() {
    return boundaryOffset;
  }

  /** Returns the earliest offset that a client may read, inclusive. */
  public long logStartOffset() {
    return logStartOffset;
  }

  /** Returns the end of the isolation level, exclusive. */
  public long endOffset() {
    return endOffset;
  }

  /** Returns whether records below the log start, now gone, could have changed the answer. */
  public boolean isStartCut() {
    return startCut;
  }

  /** Returns where the answer came from. */
  public Origin origin() {
    return origin;
  }

  /** Returns whether the answer has a record; the methods below have no meaning if not. */
  public boolean hasRecord() {
    return hasRecord;
  }

  /** Returns the offset of the record. */
  public long recordOffset() {
    return recordOffset;
  }

  /** Returns the timestamp of the record in epoch milliseconds; negative when it has none. */
  public long recordMs() {
    return recordMs;
  }

  /** Returns who set the timestamp of the record. */
  public TimestampType timestampType() {
    return timestampType;
  }

  /** Returns the leader epoch of the record; negative when the log does not say. */
  public int leaderEpoch() {
    return leaderEpoch;
  }
}
