package io.whence.resolve;

import io.whence.log.BlockCursor;
import io.whence.log.LogSnapshot;
import io.whence.log.RecordVisitor;
import io.whence.model.RecordStamp;
import io.whence.record.RecordBatch;
import io.whence.record.RecordCursor;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Finds the first or the last record of a block that meets a condition. Single-writer. */
final class RecordFinder implements RecordVisitor {
  /** A condition on a record. */
  @FunctionalInterface
  interface Condition {
    /** Returns whether a record with this offset and timestamp (negative for none) is meant. */
    boolean test(long offset, long timestampMs);
  }

  private final Condition condition;
  private final boolean first;
  private @Nullable RecordStamp found;

  private RecordFinder(Condition condition, boolean first) {
    this.condition = condition;
    this.first = first;
  }

  static Optional<RecordStamp> first(BlockCursor block, Condition condition) {
    return new RecordFinder(condition, true).read(block);
  }

  static Optional<RecordStamp> last(BlockCursor block, Condition condition) {
    return new RecordFinder(condition, false).read(block);
  }

  private Optional<RecordStamp> read(BlockCursor block) {
    block.readRecords(this);
    return Optional.ofNullable(found);
  }

  @Override
  public boolean visit(RecordBatch batch, RecordCursor record) {
    if (condition.test(record.offset(), record.timestampMs())) {
      found = LogSnapshot.stampOf(batch, record);
      return !first;
    }
    return true;
  }
}
