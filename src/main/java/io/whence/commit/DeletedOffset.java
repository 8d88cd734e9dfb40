package io.whence.commit;

import io.whence.model.TopicPartition;
import java.util.OptionalLong;

/**
 * What a deletion did to a partition. Thread safety: immutable.
 *
 * @param partition the partition
 * @param before what was committed before; negative for nothing
 */
public record DeletedOffset(TopicPartition partition, long before) {
  /** Returns what was committed before. */
  public OptionalLong offsetBefore() {
    return before < 0 ? OptionalLong.empty() : OptionalLong.of(before);
  }
}
