package io.whence.commit;

import io.whence.model.TopicId;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * What a group has committed for a partition. Thread safety: immutable.
 *
 * @param nextOffset the offset of the next record to read
 * @param epoch the leader epoch of the last record that was read; negative for none
 * @param metadata text that is kept with the offset
 * @param commitTimeMs when it was last committed, in epoch milliseconds; negative when not known
 * @param expiryMs when the commit itself says that it expires, in epoch milliseconds; negative when
 *     it doesn't
 * @param id the topic that it was committed for; null when the commit doesn't say
 * @param fence the largest epoch of a writer that committed it; negative for none
 * @param changePosition where in the log of commits the latest record is that changed it; negative
 *     when that isn't known
 */
public record CommittedOffset(
    long nextOffset,
    int epoch,
    String metadata,
    long commitTimeMs,
    long expiryMs,
    @Nullable TopicId id,
    long fence,
    long changePosition) {

  /** Returns the leader epoch of the last record that was read, if the commit says. */
  public OptionalInt leaderEpoch() {
    return epoch < 0 ? OptionalInt.empty() : OptionalInt.of(epoch);
  }

  /** Returns when the commit itself says that it expires, in epoch milliseconds. */
  public OptionalLong explicitExpiryMs() {
    return expiryMs < 0 ? OptionalLong.empty() : OptionalLong.of(expiryMs);
  }

  /** Returns the topic that it was committed for, if the commit says. */
  public Optional<TopicId> topicId() {
    return Optional.ofNullable(id);
  }

  /** Returns the largest epoch of a writer that committed it. */
  public OptionalLong writerEpoch() {
    return fence < 0 ? OptionalLong.empty() : OptionalLong.of(fence);
  }

  /** Returns whether it was committed for another topic than one with this id. */
  public boolean isStaleFor(Optional<TopicId> topic) {
    return id != null && topic.isPresent() && !topic.get().equals(id);
  }

  /** Returns whether nothing but the time of the commit differs: nobody else took over, either. */
  public boolean isSameChange(CommittedOffset other) {
    return nextOffset == other.nextOffset
        && changePosition == other.changePosition
        && fence == other.fence
        && topicId().equals(other.topicId());
  }
}
