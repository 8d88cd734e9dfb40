package io.whence.resolve;

import io.whence.log.LogSnapshot;
import io.whence.log.RecordVisitor;
import io.whence.model.RecordStamp;
import io.whence.record.RecordBatch;
import io.whence.record.RecordCursor;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Finds the first record with the largest timestamp of a block, if that is above a floor. */
final class MaximumFinder implements RecordVisitor {
  private long floorMs;
  private @Nullable RecordStamp found;

  /**
   * Makes a finder.
   *
   * @param floorMs only timestamps above it count
   */
  MaximumFinder(long floorMs) {
    this.floorMs = floorMs;
  }

  Optional<RecordStamp> found() {
    return Optional.ofNullable(found);
  }

  /** Returns the floor, or the largest timestamp that was found above it. */
  long floorMs() {
    return floorMs;
  }

  @Override
  public boolean visit(RecordBatch batch, RecordCursor record) {
    if (record.timestampMs() > floorMs) {
      found = LogSnapshot.stampOf(batch, record);
      floorMs = record.timestampMs();
    }
    return true;
  }
}
