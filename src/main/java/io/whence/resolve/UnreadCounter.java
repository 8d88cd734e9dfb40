package io.whence.resolve;

import io.whence.log.BlockCursor;
import io.whence.log.LogSnapshot;
import io.whence.model.RecordStamp;
import io.whence.model.UnreadRecords;
import io.whence.record.RecordBatch;
import io.whence.record.RecordCursor;
import org.jspecify.annotations.Nullable;

/**
 * Sums up the visible records of a range. Of the blocks whose figures would do, only the one with
 * the first record is read. Thread safety: single-writer; one a question.
 */
final class UnreadCounter implements RangeVisitor {
  private long recordCount;
  private @Nullable RecordStamp first;
  private long maxTimestampMs = -1;

  UnreadRecords sum() {
    return new UnreadRecords(recordCount, first, maxTimestampMs);
  }

  @Override
  public boolean visitBlock(BlockCursor block) {
    if (block.recordCount() == 0) {
      return true;
    }
    if (first == null) {
      return false;
    }
    recordCount += block.recordCount();
    if (block.timedCount() > 0) {
      maxTimestampMs = Math.max(maxTimestampMs, block.maxMs());
    }
    return true;
  }

  @Override
  public void visitRecord(RecordBatch batch, RecordCursor record) {
    recordCount++;
    maxTimestampMs = Math.max(maxTimestampMs, record.timestampMs());
    if (first == null) {
      first = LogSnapshot.stampOf(batch, record);
    }
  }
}
