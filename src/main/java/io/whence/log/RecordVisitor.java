package io.whence.log;

import io.whence.record.RecordBatch;
import io.whence.record.RecordCursor;

/** Takes records one by one. */
@FunctionalInterface
public interface RecordVisitor {
  /**
   * Takes one record. Both arguments are views that change with the next record.
   *
   * @return whether to go on
   */
  boolean visit(RecordBatch batch, RecordCursor record);
}
