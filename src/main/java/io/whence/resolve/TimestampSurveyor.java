package io.whence.resolve;

import io.whence.log.BlockCursor;
import io.whence.log.LogSnapshot;
import io.whence.model.RecordStamp;
import io.whence.model.TimestampSurvey;
import io.whence.model.UnusualRecords;
import io.whence.record.RecordBatch;
import io.whence.record.RecordCursor;
import org.jspecify.annotations.Nullable;

/**
 * Finds the records whose timestamps are unusual. Passes over blocks whose figures show that they
 * hold none. Thread safety: single-writer.
 */
final class TimestampSurveyor implements RangeVisitor {
  private final long nowMs;
  private final Found future = new Found();
  private final Found missing = new Found();
  private final Found disordered = new Found();
  private long recordCount;
  private long largestMs = -1;
  private long maxDisorderMs;

  TimestampSurveyor(long nowMs) {
    this.nowMs = nowMs;
  }

  TimestampSurvey survey() {
    return new TimestampSurvey(
        recordCount, future.records(), missing.records(), disordered.records(), maxDisorderMs);
  }

  @Override
  public boolean visitBlock(BlockCursor block) {
    if (block.recordCount() == 0) {
      return true;
    }
    boolean isUsual =
        block.timedCount() == block.recordCount()
            && block.maxMs() <= nowMs
            && block.minMs() >= largestMs
            && block.isInOrder();
    if (isUsual) {
      recordCount += block.recordCount();
      largestMs = block.maxMs();
    }
    return isUsual;
  }

  @Override
  public void visitRecord(RecordBatch batch, RecordCursor record) {
    recordCount++;
    long timestampMs = record.timestampMs();
    if (timestampMs < 0) {
      missing.add(batch, record);
      return;
    }
    if (timestampMs > nowMs) {
      future.add(batch, record);
    }
    if (timestampMs < largestMs) {
      disordered.add(batch, record);
      maxDisorderMs = Math.max(maxDisorderMs, largestMs - timestampMs);
    }
    largestMs = Math.max(largestMs, timestampMs);
  }

  /** Records that are unusual in one way. */
  private static final class Found {
    private long count;
    private @Nullable RecordStamp first;
    private @Nullable RecordStamp last;

    void add(RecordBatch batch, RecordCursor record) {
      RecordStamp stamp = LogSnapshot.stampOf(batch, record);
      first = first == null ? stamp : first;
      last = stamp;
      count++;
    }

    UnusualRecords records() {
      return new UnusualRecords(count, first, last);
    }
  }
}
