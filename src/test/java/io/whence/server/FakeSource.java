package io.whence.server;

import io.whence.log.AppendBatch;
import io.whence.log.LogSnapshot;
import io.whence.log.StoredRecord;
import io.whence.model.ErrorReason;
import io.whence.model.OffsetRange;
import io.whence.model.RecordStamp;
import io.whence.model.TimestampType;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.record.SourceRecord;
import io.whence.source.SourceKind;
import io.whence.source.TopicInfo;
import io.whence.source.WritableLogSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A source in memory. Thread safety: thread-safe. */
final class FakeSource implements WritableLogSource {
  /** Its logs fail with an exception that nobody expects. */
  static final String BROKEN = "broken";

  /** Its logs are damaged. */
  static final String DAMAGED = "damaged";

  /** Asking for it is a fault of the whole call. */
  static final String EXPLODING = "exploding";

  /** Its appends never end. */
  static final String STUCK = "stuck";

  private final Map<String, TopicInfo> topics = new TreeMap<>();
  private final Map<TopicPartition, List<StoredRecord>> records = new HashMap<>();
  private final Map<TopicPartition, Long> starts = new HashMap<>();

  @Override
  public String name() {
    return "embedded";
  }

  @Override
  public SourceKind kind() {
    return SourceKind.EMBEDDED;
  }

  @Override
  public boolean isReady() {
    return true;
  }

  @Override
  public List<String> warnings() {
    return List.of("made for tests");
  }

  @Override
  public synchronized List<TopicInfo> topics() {
    return List.copyOf(topics.values());
  }

  @Override
  public synchronized TopicInfo topic(String topic) {
    if (topic.equals(EXPLODING)) {
      throw new IllegalStateException("a secret of the server");
    }
    TopicInfo info = topics.get(topic);
    if (info == null) {
      throw WhenceException.of(
          ErrorReason.UNKNOWN_TOPIC, "no topic '" + topic + "'", "source", name(), "topic", topic);
    }
    return info;
  }

  @Override
  public synchronized LogSnapshot snapshot(TopicPartition partition) {
    check(partition);
    if (partition.topic().equals(BROKEN)) {
      throw new IllegalStateException("a secret of the server");
    }
    if (partition.topic().equals(DAMAGED)) {
      throw WhenceException.of(
          ErrorReason.DAMAGED_LOG, "can't be read", "path", "/d/0.log", "position", 17);
    }
    List<StoredRecord> all = records.getOrDefault(partition, List.of());
    return new FakeLog(partition, starts.getOrDefault(partition, 0L), all.size(), all);
  }

  private void check(TopicPartition partition) {
    int count = topic(partition.topic()).partitionCount();
    if (partition.partition() >= count) {
      throw WhenceException.of(
          ErrorReason.UNKNOWN_PARTITION,
          "topic has " + count + " partitions",
          "partition",
          partition.partition(),
          "partition_count",
          count);
    }
  }

  @Override
  public long stalenessMs() {
    return 0;
  }

  @Override
  public synchronized TopicInfo createTopic(
      String topic, int partitionCount, Map<String, String> config) {
    if (topics.containsKey(topic)) {
      throw WhenceException.of(ErrorReason.TOPIC_EXISTS, "exists", "topic", topic);
    }
    TopicId id = new TopicId(new UUID(topics.size(), topic.hashCode()));
    TopicInfo info = new TopicInfo(topic, id, partitionCount, config);
    topics.put(topic, info);
    return info;
  }

  @Override
  public synchronized TopicInfo deleteTopic(String topic, Optional<TopicId> expected) {
    TopicInfo info = topic(topic);
    if (expected.isPresent() && !expected.equals(info.topicId())) {
      throw WhenceException.of(ErrorReason.STALE_TOPIC, "another id", "topic", topic);
    }
    topics.remove(topic);
    return info;
  }

  @Override
  public synchronized CompletionStage<OffsetRange> append(
      TopicPartition partition, AppendBatch batch) {
    check(partition);
    if (partition.topic().equals(STUCK)) {
      return new CompletableFuture<>();
    }
    if (partition.topic().equals(BROKEN)) {
      return CompletableFuture.failedFuture(new IllegalStateException("a secret of the server"));
    }
    List<StoredRecord> log = records.computeIfAbsent(partition, ignored -> new ArrayList<>());
    long start = log.size();
    for (SourceRecord record : batch.records()) {
      long ms = record.timestamp().orElse(ServerTestProfile.NOW_MS);
      log.add(
          new StoredRecord(
              new RecordStamp(log.size(), ms, TimestampType.CREATE_TIME, 0),
              record.key(),
              record.value(),
              record.headers()));
    }
    return CompletableFuture.completedFuture(new OffsetRange(start, log.size()));
  }

  @Override
  public synchronized long trim(TopicPartition partition, long beforeOffset) {
    check(partition);
    return starts.merge(partition, beforeOffset, Math::max);
  }
}
