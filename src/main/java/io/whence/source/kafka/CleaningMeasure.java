package io.whence.source.kafka;

import io.whence.source.kafka.CleaningQuestions.LeaderSize;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How large a partition was at its leader, and how much of it was fetched: two of these show
 * whether the leader has removed anything between them. Thread safety: immutable.
 *
 * @param size the copy of the leader; empty if that is not told
 * @param fetched what had been fetched, before the size was asked for
 * @param endOffset where the log of the leader ended, after that; negative if that is not told
 */
record CleaningMeasure(Optional<LeaderSize> size, Fetched fetched, long endOffset) {
  /**
   * Returns whether nothing was removed since another measure. The files then grew by just what was
   * fetched. What was written but not fetched would hide as much that was removed, so there must
   * not be any now; what is not replicated yet is not told, but shows the next time.
   *
   * @param before the earlier one; null if there is none
   */
  boolean provesNothingRemovedSince(@Nullable CleaningMeasure before) {
    if (before == null || size.isEmpty() || before.size.isEmpty()) {
      return false;
    }
    long grownBytes = size.get().sizeBytes() - before.size.get().sizeBytes();
    return size.get().leaderId() == before.size.get().leaderId()
        && fetched.endOffset() == endOffset
        && grownBytes == fetched.bytes() - before.fetched.bytes();
  }
}
