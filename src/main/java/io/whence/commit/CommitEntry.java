package io.whence.commit;

import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * What to commit for one partition. Thread safety: immutable.
 *
 * @param partition the partition
 * @param nextOffset the offset of the next record to read, 0 or above
 * @param leaderEpoch the leader epoch of the last record that was read; negative for none
 * @param metadata text to keep with the offset
 * @param expected what must be committed now
 * @param writerEpoch the epoch of the writer, for fencing; negative for none
 * @param topicId the id that the topic must have; null for whatever it has
 * @param allowRewind allows a lower offset than the one that is committed
 * @param allowOutOfRange allows an offset outside the log
 */
public record CommitEntry(
    TopicPartition partition,
    long nextOffset,
    int leaderEpoch,
    String metadata,
    Expected expected,
    long writerEpoch,
    @Nullable TopicId topicId,
    boolean allowRewind,
    boolean allowOutOfRange) {

  /** Rejects negative offsets. */
  public CommitEntry {
    if (nextOffset < 0) {
      throw new IllegalArgumentException("next_offset: " + nextOffset + " is negative");
    }
  }
}
