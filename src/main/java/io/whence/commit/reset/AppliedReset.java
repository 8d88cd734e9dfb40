package io.whence.commit.reset;

import io.whence.model.TopicPartition;
import java.util.OptionalLong;

/**
 * What was done to one partition. Thread safety: immutable.
 *
 * @param partition the partition
 * @param before what was committed before; negative for nothing
 * @param after what is committed now, as read back
 */
public record AppliedReset(TopicPartition partition, long before, long after) {
  /** Returns what was committed before. */
  public OptionalLong offsetBefore() {
    return before < 0 ? OptionalLong.empty() : OptionalLong.of(before);
  }
}
