package io.whence.commit.reset;

import io.whence.commit.CommittedOffset;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a plan found committed. Thread safety: immutable.
 *
 * @param partition the partition
 * @param topicId the id that the topic had; null when it is not known
 * @param stored what was committed, also when it is of an earlier topic of this name; null for
 *     nothing
 */
public record ResetStart(
    TopicPartition partition, @Nullable TopicId topicId, @Nullable CommittedOffset stored) {

  /** Returns what is committed, unless it is of an earlier topic of this name. */
  public Optional<CommittedOffset> committed() {
    return isStale() ? Optional.empty() : Optional.ofNullable(stored);
  }

  /** Returns whether the committed offset is of an earlier topic of this name. */
  public boolean isStale() {
    return stored != null && stored.isStaleFor(Optional.ofNullable(topicId));
  }
}
