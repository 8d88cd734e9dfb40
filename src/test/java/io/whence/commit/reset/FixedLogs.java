package io.whence.commit.reset;

import io.whence.log.LogSnapshot;
import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.source.PartitionLogs;
import io.whence.source.TopicInfo;
import io.whence.testkit.GivenSource;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A source whose logs stay as they are until a test puts others there. Thread-safe. */
public class FixedLogs extends GivenSource {
  private final Map<TopicPartition, LogSnapshot> logs = new ConcurrentHashMap<>();
  private final Map<String, TopicInfo> topics = new ConcurrentHashMap<>();
  private final Map<TopicPartition, RuntimeException> failures = new ConcurrentHashMap<>();
  private final Map<TopicPartition, WhenceException> behind = new ConcurrentHashMap<>();

  /** Makes a source without topics. */
  public FixedLogs() {
    super("fixed");
  }

  /** Puts the log of a partition there; the topic has as many as its highest number says. */
  public FixedLogs put(TopicPartition partition, LogSnapshot log, @Nullable TopicId id) {
    logs.put(partition, log);
    topics.merge(
        partition.topic(),
        new TopicInfo(partition.topic(), id, partition.partition() + 1, Map.of()),
        (old, own) ->
            new TopicInfo(
                old.name(), id, Math.max(old.partitionCount(), own.partitionCount()), Map.of()));
    return this;
  }

  /** Lets the log of a partition be unreadable. */
  public FixedLogs fail(TopicPartition partition, RuntimeException failure) {
    failures.put(partition, failure);
    return this;
  }

  /** Removes a topic. */
  void remove(String topic) {
    topics.remove(topic);
  }

  @Override
  public List<TopicInfo> topics() {
    return List.copyOf(topics.values());
  }

  @Override
  public TopicInfo topic(String topic) {
    TopicInfo info = topics.get(topic);
    if (info == null) {
      throw WhenceException.of(ErrorReason.UNKNOWN_TOPIC, "no topic '" + topic + "'");
    }
    return info;
  }

  @Override
  public PartitionLogs logs(String topic) {
    return partitions(
        topic(topic).partitionCount(), partition -> log(new TopicPartition(topic, partition)));
  }

  /** Lets the log of a partition lack records of the one that it follows. */
  public FixedLogs behind(TopicPartition partition, WhenceException failure) {
    behind.put(partition, failure);
    return this;
  }

  @Override
  public Map<TopicPartition, WhenceException> catchUp(
      Collection<TopicPartition> partitions, Cancellation cancellation) {
    return Map.copyOf(behind);
  }

  private LogSnapshot log(TopicPartition partition) {
    RuntimeException failure = failures.get(partition);
    if (failure != null) {
      throw failure;
    }
    LogSnapshot log = logs.get(partition);
    if (log == null) {
      throw WhenceException.of(ErrorReason.UNKNOWN_PARTITION, "no partition " + partition);
    }
    return log;
  }
}
