package io.whence.resolve;

import io.whence.log.BlockCursor;
import io.whence.record.RecordBatch;
import io.whence.record.RecordCursor;

/** Counts the visible records of a range. Thread safety: single-writer; one a question. */
final class RecordCounter implements RangeVisitor {
  private long recordCount;

  long recordCount() {
    return recordCount;
  }

  @Override
  public boolean visitBlock(BlockCursor block) {
    recordCount += block.recordCount();
    return true;
  }

  @Override
  public void visitRecord(RecordBatch batch, RecordCursor record) {
    recordCount++;
  }
}
