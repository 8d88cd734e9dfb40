package io.whence.resolve;

import io.whence.log.BlockCursor;
import io.whence.model.RecordTimes;
import io.whence.record.RecordBatch;
import io.whence.record.RecordCursor;

/** Sums up the times of the visible records of a range. Thread safety: single-writer. */
final class TimesCounter implements RangeVisitor {
  private long recordCount;
  private long timedCount;
  private long minMs = Long.MAX_VALUE;

  RecordTimes sum() {
    return new RecordTimes(recordCount, timedCount, timedCount == 0 ? -1 : minMs);
  }

  @Override
  public boolean visitBlock(BlockCursor block) {
    recordCount += block.recordCount();
    if (block.timedCount() > 0) {
      timedCount += block.timedCount();
      minMs = Math.min(minMs, block.minMs());
    }
    return true;
  }

  @Override
  public void visitRecord(RecordBatch batch, RecordCursor record) {
    recordCount++;
    if (record.timestampMs() >= 0) {
      timedCount++;
      minMs = Math.min(minMs, record.timestampMs());
    }
  }
}
