package io.whence.log;

import io.whence.model.Cancellation;
import io.whence.model.IsolationLevel;
import io.whence.record.RecordBatch;
import io.whence.record.RecordCursor;
import io.whence.timeline.SegmentTimeline;
import io.whence.timeline.SegmentTimelineBuilder;

/** Reads visible records of a log for a timeline of them. Thread safety: single-writer. */
final class TimelineScan implements RecordVisitor {
  private final long startOffset;
  private final long endOffset;
  private final SegmentTimelineBuilder timeline;
  private long recordCount;
  private long timedCount;
  private long minMs = Long.MAX_VALUE;
  private long maxMs = Long.MIN_VALUE;
  private boolean ended;

  private TimelineScan(long startOffset, long endOffset, SegmentTimelineBuilder timeline) {
    this.startOffset = startOffset;
    this.endOffset = endOffset;
    this.timeline = timeline;
  }

  /**
   * Reads records.
   *
   * @throws io.whence.model.WhenceException {@code DAMAGED_LOG} or {@code STORAGE_ERROR}
   */
  static TimelineScan of(
      LogSnapshot log, IsolationLevel isolation, long startOffset, long endOffset) {
    return of(log, isolation, startOffset, endOffset, new SegmentTimelineBuilder());
  }

  /**
   * Reads records, and adds them to a timeline of those before.
   *
   * @throws io.whence.model.WhenceException {@code DAMAGED_LOG} or {@code STORAGE_ERROR}; some may
   *     have been added then
   */
  static TimelineScan of(
      LogSnapshot log,
      IsolationLevel isolation,
      long startOffset,
      long endOffset,
      SegmentTimelineBuilder timeline) {
    return of(log, isolation, startOffset, endOffset, timeline, Cancellation.NONE);
  }

  /** Reads records as above, unless it is cancelled. */
  static TimelineScan of(
      LogSnapshot log,
      IsolationLevel isolation,
      long startOffset,
      long endOffset,
      SegmentTimelineBuilder timeline,
      Cancellation cancellation) {
    TimelineScan scan = new TimelineScan(startOffset, endOffset, timeline);
    BlockCursor blocks = log.blocks(isolation, cancellation);
    boolean more = startOffset < endOffset && blocks.moveToOffset(startOffset);
    while (more && !scan.ended && blocks.startOffset() < endOffset) {
      blocks.readRecords(scan);
      more = blocks.moveToNext();
    }
    return scan;
  }

  @Override
  public boolean visit(RecordBatch batch, RecordCursor record) {
    ended = record.offset() >= endOffset;
    if (!ended && record.offset() >= startOffset) {
      timeline.beginBatch(record.offset(), batch.timestampType(), batch.partitionLeaderEpoch());
      timeline.addRecord(record.offset(), record.timestampMs());
      count(record.timestampMs());
    }
    return !ended;
  }

  private void count(long timestampMs) {
    recordCount++;
    if (timestampMs >= 0) {
      timedCount++;
      minMs = Math.min(minMs, timestampMs);
      maxMs = Math.max(maxMs, timestampMs);
    }
  }

  SegmentTimeline timeline() {
    return timeline.build();
  }

  /** Returns the figures of the records; how far out of order they are is not among them. */
  TimestampHealth figures() {
    return new TimestampHealth(recordCount, recordCount - timedCount, minMs, maxMs, 0);
  }
}
