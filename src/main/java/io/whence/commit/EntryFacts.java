package io.whence.commit;

import io.whence.model.LogBounds;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import org.jspecify.annotations.Nullable;

/**
 * What is known of the partition of an entry before it is known what is committed. Thread safety:
 * immutable.
 *
 * @param partition the partition, with the name of the topic as the source keeps it
 * @param id the id of the topic; null when it has none
 * @param bounds the bounds of the log
 * @param refusal why the entry is refused whatever is committed; null for nothing
 */
public record EntryFacts(
    TopicPartition partition,
    @Nullable TopicId id,
    LogBounds bounds,
    @Nullable WhenceException refusal) {
  private static final LogBounds NO_BOUNDS = new LogBounds(0, 0);

  /** Returns the facts of an entry that is refused whatever is committed. */
  public static EntryFacts refused(TopicPartition partition, WhenceException refusal) {
    return new EntryFacts(partition, null, NO_BOUNDS, refusal);
  }
}
