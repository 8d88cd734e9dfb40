package io.whence.resolve;

import io.whence.log.BlockCursor;
import io.whence.record.RecordBatch;
import io.whence.record.RecordCursor;

/** Takes the visible records of a range of offsets, as blocks where their figures suffice. */
interface RangeVisitor {
  /**
   * Takes a block all of whose records are visible and in the range.
   *
   * @return whether its figures suffice; else its records follow one by one
   */
  boolean visitBlock(BlockCursor block);

  /** Takes one record. Both arguments are views that change with the next record. */
  void visitRecord(RecordBatch batch, RecordCursor record);
}
