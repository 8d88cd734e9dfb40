package io.whence.log;

import io.whence.model.Cancellation;
import io.whence.model.IsolationLevel;
import io.whence.record.RecordBatch;
import io.whence.record.RecordCursor;

/** Visits all records from an offset on, until the visitor has enough. Single-writer. */
final class AllRecords implements RecordVisitor {
  private final long fromOffset;
  private final RecordVisitor visitor;
  private boolean enough;

  AllRecords(long fromOffset, RecordVisitor visitor) {
    this.fromOffset = fromOffset;
    this.visitor = visitor;
  }

  void readFrom(LogSnapshot log, Cancellation cancellation) {
    BlockCursor blocks = log.blocks(IsolationLevel.READ_UNCOMMITTED, cancellation);
    boolean more = blocks.moveToOffset(fromOffset);
    while (more && !enough) {
      blocks.readRecords(this);
      more = blocks.moveToNext();
    }
  }

  @Override
  public boolean visit(RecordBatch batch, RecordCursor record) {
    if (record.offset() < fromOffset) {
      return true;
    }
    enough = !visitor.visit(batch, record);
    return !enough;
  }
}
