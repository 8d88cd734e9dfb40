package io.whence.commit.kafka;

import io.whence.commit.ChangeCause;
import io.whence.commit.CommitEntry;
import io.whence.commit.CommitRequest;
import io.whence.commit.Entries;
import io.whence.commit.Expected;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Entries and requests, with everything but what a test is about left out. */
final class Writes {
  static final String TOPIC = "orders";

  private Writes() {}

  /** Returns an entry with all guards. */
  static CommitEntry write(int partition, long offset) {
    return entry(new TopicPartition(TOPIC, partition), offset, -1, "", Expected.ANYTHING, false);
  }

  /** Returns an entry that may go anywhere: nothing guards it. */
  static CommitEntry anywhere(int partition, long offset) {
    return entry(new TopicPartition(TOPIC, partition), offset, -1, "", Expected.ANYTHING, true);
  }

  /** Returns an entry that may go anywhere if something is committed now. */
  static CommitEntry swap(int partition, Expected expected, long offset) {
    return entry(new TopicPartition(TOPIC, partition), offset, -1, "", expected, true);
  }

  static CommitEntry entry(
      TopicPartition partition,
      long offset,
      int epoch,
      String metadata,
      Expected expected,
      boolean anywhere) {
    return new CommitEntry(
        partition, offset, epoch, metadata, expected, -1, null, anywhere, anywhere);
  }

  static CommitEntry inTopic(CommitEntry e, String topic, @Nullable TopicId id) {
    return Entries.ofTopic(Entries.inTopic(e, topic), id);
  }

  static CommitEntry withWriterEpoch(CommitEntry e, long writerEpoch) {
    return Entries.withEpochs(e, e.leaderEpoch(), writerEpoch);
  }

  static CommitRequest request(String group, CommitEntry... entries) {
    return new CommitRequest(group, List.of(entries), "", false, false, "test", ChangeCause.COMMIT);
  }

  static CommitRequest named(CommitRequest r, String requestId) {
    return new CommitRequest(
        r.group(), r.entries(), requestId, r.atomic(), r.dryRun(), r.writer(), r.cause());
  }

  static CommitRequest atomic(CommitRequest r) {
    return new CommitRequest(
        r.group(), r.entries(), r.requestId(), true, r.dryRun(), r.writer(), r.cause());
  }

  static CommitRequest dry(CommitRequest r) {
    return new CommitRequest(
        r.group(), r.entries(), r.requestId(), r.atomic(), true, r.writer(), r.cause());
  }
}
