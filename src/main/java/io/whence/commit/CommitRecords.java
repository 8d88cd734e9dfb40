package io.whence.commit;

import io.whence.model.ErrorReason;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.record.SourceRecord;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Makes the records of the offsets topic. */
final class CommitRecords {
  /** What a record takes besides its texts, rounded up. */
  private static final long FIXED_BYTES = 150;

  private static final long MAX_UTF8_BYTES = 3;

  private CommitRecords() {}

  /**
   * Refuses a request of which too much would have to be written at once, before that takes memory:
   * each record repeats the names.
   *
   * @throws WhenceException {@code RECORD_TOO_LARGE}
   */
  static void requireSize(CommitRequest request, Verdicts verdicts) {
    long common =
        FIXED_BYTES
            + MAX_UTF8_BYTES * (request.group().length() + request.writer().length())
            + MAX_UTF8_BYTES * request.requestId().length();
    long bytes = 0;
    for (Verdicts.Write write : verdicts.writes()) {
      bytes +=
          common
              + write.partition().topic().length()
              + MAX_UTF8_BYTES * write.committed().metadata().length();
    }
    if (bytes > OffsetsTopic.LARGEST_BATCH_BYTES) {
      throw WhenceException.of(
          ErrorReason.RECORD_TOO_LARGE,
          "entries: they may take "
              + bytes
              + " bytes in the log, more than the "
              + OffsetsTopic.LARGEST_BATCH_BYTES
              + " of one batch; send fewer in a call, or use shorter names and metadata",
          "size_bytes",
          bytes,
          "limit_bytes",
          OffsetsTopic.LARGEST_BATCH_BYTES);
    }
  }

  /** Returns the records of the offsets of a request, in the order of the verdicts. */
  static List<SourceRecord> of(CommitRequest request, Verdicts verdicts, long nowMs) {
    List<SourceRecord> records = new ArrayList<>(verdicts.writes().size() + 1);
    Keys keys = new Keys(request.group());
    for (Verdicts.Write write : verdicts.writes()) {
      CommittedOffset committed = write.committed();
      byte[] value =
          new OffsetValue(
                  committed.nextOffset(),
                  committed.epoch(),
                  committed.metadata(),
                  committed.commitTimeMs(),
                  -1,
                  committed.id())
              .toBytes();
      records.add(
          new SourceRecord(
              nowMs, keys.of(write.partition()), value, List.of(write.note().toHeader())));
    }
    return records;
  }

  /** Returns the record of the answer to a request. */
  static SourceRecord answer(
      CommitRequest request, Verdicts verdicts, long fingerprint, long nowMs) {
    byte[] group = request.group().getBytes(StandardCharsets.UTF_8);
    return new SourceRecord(
        nowMs,
        OffsetsKey.request(group, request.requestId()),
        new AnsweredRequest(fingerprint, verdicts.results()).toBytes(),
        List.of());
  }

  /** Returns the records that remove offsets of a group. */
  static List<SourceRecord> tombstones(Group group, List<TopicPartition> partitions, long nowMs) {
    Keys keys = new Keys(group.name());
    List<SourceRecord> records = new ArrayList<>(partitions.size());
    for (TopicPartition partition : partitions) {
      records.add(new SourceRecord(nowMs, keys.of(partition), null, List.of()));
    }
    return records;
  }

  /** The keys of one group; a run of partitions of the same topic encodes its name once. */
  private static final class Keys {
    private final byte[] group;
    private String topic = "";
    private byte[] topicBytes = {};

    Keys(String group) {
      this.group = group.getBytes(StandardCharsets.UTF_8);
    }

    byte[] of(TopicPartition partition) {
      if (!partition.topic().equals(topic)) {
        topic = partition.topic();
        topicBytes = topic.getBytes(StandardCharsets.UTF_8);
      }
      return OffsetsKey.offset(group, topicBytes, partition.partition());
    }
  }
}
