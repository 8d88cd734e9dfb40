package io.whence.log;

import io.whence.record.RecordBatch;
import io.whence.record.RecordCursor;

/** Decides which records a compaction keeps. */
@FunctionalInterface
public interface RecordKeeper {
  /**
   * Returns whether to keep a record. Both arguments are views that change with the next record.
   */
  boolean keeps(RecordBatch batch, RecordCursor record);
}
