package io.whence.log;

import io.whence.model.Cancellation;
import io.whence.model.IsolationLevel;
import io.whence.model.LogBounds;
import java.util.List;

/** The log of one partition as it was at one moment. Thread safety: immutable. */
public abstract class LogSnapshot {
  /** Returns the earliest offset that a client may read, inclusive. */
  public abstract long logStartOffset();

  /** Returns the end of what is committed, exclusive. */
  public abstract long highWatermark();

  /** Returns the end of what is decided, exclusive; never above the high watermark. */
  public abstract long lastStableOffset();

  /** Returns the bounds of what a reader of this isolation level may see. */
  public final LogBounds bounds(IsolationLevel isolation) {
    return new LogBounds(
        logStartOffset(),
        isolation == IsolationLevel.READ_COMMITTED ? lastStableOffset() : highWatermark());
  }

  /** Returns how many bytes the .log files hold. */
  public abstract long sizeBytes();

  /** Returns the segments, by base offset. */
  public abstract List<SegmentInfo> segments();

  /** Returns the damage that was found, by offset. */
  public abstract List<Damage> damages();

  /**
   * Reads visible records from the disk.
   *
   * @param offset where to start, inclusive; between log start offset and end
   * @param maxRecords how many records at the most
   * @param maxBytes how many bytes of keys and values at the most; one record is always given
   */
  public abstract List<StoredRecord> read(
      long offset,
      int maxRecords,
      long maxBytes,
      IsolationLevel isolation,
      Cancellation cancellation);
}
