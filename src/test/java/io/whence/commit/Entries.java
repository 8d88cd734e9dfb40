package io.whence.commit;

import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Entries of commits, with everything but what a test is about left out. */
public final class Entries {
  private Entries() {}

  static CommitEntry entry(int partition, long offset) {
    return new CommitEntry(
        new TopicPartition(GroupsDir.TOPIC, partition),
        offset,
        -1,
        "",
        Expected.ANYTHING,
        -1,
        null,
        false,
        false);
  }

  /** Returns an entry as it is but for the topic. */
  public static CommitEntry inTopic(CommitEntry entry, String topic) {
    return with(entry, e -> e.partition = new TopicPartition(topic, entry.partition().partition()));
  }

  static CommitEntry expecting(CommitEntry entry, Expected expected) {
    return with(entry, e -> e.expected = expected);
  }

  static CommitEntry withMetadata(CommitEntry entry, String metadata) {
    return with(entry, e -> e.metadata = metadata);
  }

  /** Returns an entry as it is but for its epochs. */
  public static CommitEntry withEpochs(CommitEntry entry, int leaderEpoch, long writerEpoch) {
    return with(
        entry,
        e -> {
          e.leaderEpoch = leaderEpoch;
          e.writerEpoch = writerEpoch;
        });
  }

  /** Returns an entry as it is but for the id of the topic that it is for. */
  public static CommitEntry ofTopic(CommitEntry entry, @Nullable TopicId id) {
    return with(entry, e -> e.topicId = id);
  }

  static CommitEntry allowing(CommitEntry entry, boolean rewind, boolean outOfRange) {
    return with(
        entry,
        e -> {
          e.allowRewind = rewind;
          e.allowOutOfRange = outOfRange;
        });
  }

  private static CommitEntry with(CommitEntry entry, Consumer<Parts> change) {
    Parts parts = new Parts(entry);
    change.accept(parts);
    return parts.entry();
  }

  /** What an entry consists of, to be changed. */
  private static final class Parts {
    private final long nextOffset;
    private TopicPartition partition;
    private int leaderEpoch;
    private String metadata;
    private Expected expected;
    private long writerEpoch;
    private @Nullable TopicId topicId;
    private boolean allowRewind;
    private boolean allowOutOfRange;

    Parts(CommitEntry entry) {
      partition = entry.partition();
      nextOffset = entry.nextOffset();
      leaderEpoch = entry.leaderEpoch();
      metadata = entry.metadata();
      expected = entry.expected();
      writerEpoch = entry.writerEpoch();
      topicId = entry.topicId();
      allowRewind = entry.allowRewind();
      allowOutOfRange = entry.allowOutOfRange();
    }

    CommitEntry entry() {
      return new CommitEntry(
          partition,
          nextOffset,
          leaderEpoch,
          metadata,
          expected,
          writerEpoch,
          topicId,
          allowRewind,
          allowOutOfRange);
    }
  }
}
