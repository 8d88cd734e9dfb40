package io.whence.commit;

import io.whence.model.TopicId;
import io.whence.model.TopicPartition;

/** Entries of commits, with everything but what a test is about left out. */
final class Entries {
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

  static CommitEntry inTopic(CommitEntry e, String topic) {
    return new CommitEntry(
        new TopicPartition(topic, e.partition().partition()),
        e.nextOffset(),
        e.leaderEpoch(),
        e.metadata(),
        e.expected(),
        e.writerEpoch(),
        e.topicId(),
        e.allowRewind(),
        e.allowOutOfRange());
  }

  static CommitEntry expecting(CommitEntry e, Expected expected) {
    return new CommitEntry(
        e.partition(),
        e.nextOffset(),
        e.leaderEpoch(),
        e.metadata(),
        expected,
        e.writerEpoch(),
        e.topicId(),
        e.allowRewind(),
        e.allowOutOfRange());
  }

  static CommitEntry withMetadata(CommitEntry e, String metadata) {
    return new CommitEntry(
        e.partition(),
        e.nextOffset(),
        e.leaderEpoch(),
        metadata,
        e.expected(),
        e.writerEpoch(),
        e.topicId(),
        e.allowRewind(),
        e.allowOutOfRange());
  }

  static CommitEntry withEpochs(CommitEntry e, int leaderEpoch, long writerEpoch) {
    return new CommitEntry(
        e.partition(),
        e.nextOffset(),
        leaderEpoch,
        e.metadata(),
        e.expected(),
        writerEpoch,
        e.topicId(),
        e.allowRewind(),
        e.allowOutOfRange());
  }

  static CommitEntry ofTopic(CommitEntry e, TopicId id) {
    return new CommitEntry(
        e.partition(),
        e.nextOffset(),
        e.leaderEpoch(),
        e.metadata(),
        e.expected(),
        e.writerEpoch(),
        id,
        e.allowRewind(),
        e.allowOutOfRange());
  }

  static CommitEntry allowing(CommitEntry e, boolean rewind, boolean outOfRange) {
    return new CommitEntry(
        e.partition(),
        e.nextOffset(),
        e.leaderEpoch(),
        e.metadata(),
        e.expected(),
        e.writerEpoch(),
        e.topicId(),
        rewind,
        outOfRange);
  }
}
