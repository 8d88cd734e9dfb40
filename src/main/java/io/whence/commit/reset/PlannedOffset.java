package io.whence.commit.reset;

import io.whence.model.RecordStamp;
import org.jspecify.annotations.Nullable;

/**
 * Where a reset puts a group. Thread safety: immutable.
 *
 * @param offset the offset of the next record to read
 * @param record the record at the offset, or the next one; null when there is none
 */
public record PlannedOffset(long offset, @Nullable RecordStamp record) {
  /** Returns the leader epoch of the record at the very offset; negative when not known. */
  int leaderEpoch() {
    return record == null || record.offset() != offset ? -1 : record.leaderEpoch().orElse(-1);
  }
}
