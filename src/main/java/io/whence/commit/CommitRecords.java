package io.whence.commit;

import io.whence.model.TopicPartition;
import io.whence.record.SourceRecord;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Makes the records of the offsets topic. */
final class CommitRecords {
  private CommitRecords() {}

  /**
   * Returns the records of a request: its offsets, in the order of the verdicts, and then its
   * answer.
   *
   * @param answered whether the answer is to be kept
   */
  static List<SourceRecord> of(
      CommitRequest request, Verdicts verdicts, long nowMs, boolean answered) {
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
    if (answered) {
      AnsweredRequest answer =
          new AnsweredRequest(AnsweredRequest.fingerprintOf(request), verdicts.results());
      byte[] key = OffsetsKey.request(keys.group, request.requestId());
      records.add(new SourceRecord(nowMs, key, answer.toBytes(), List.of()));
    }
    return records;
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
