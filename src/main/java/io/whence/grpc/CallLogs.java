package io.whence.grpc;

import io.whence.log.LogSnapshot;
import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.source.LogSource;
import io.whence.source.TopicInfo;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The topics and logs that one call sees. A topic and a partition are looked up once, so that all
 * answers of a call about a partition come from the same snapshot (I4). Thread safety:
 * single-writer.
 */
final class CallLogs {
  private final LogSource source;
  private final Map<String, TopicInfo> topics = new HashMap<>();
  private final Map<TopicPartition, LogSnapshot> snapshots = new HashMap<>();

  /** Copies of logs that may lack records, and why. */
  private Map<TopicPartition, WhenceException> behind = Map.of();

  CallLogs(LogSource source) {
    this.source = source;
  }

  /** Returns the source. */
  LogSource source() {
    return source;
  }

  /** Returns a topic, or fails with {@code UNKNOWN_TOPIC}. */
  TopicInfo topic(String topic) {
    return topics.computeIfAbsent(topic, source::topic);
  }

  /**
   * Waits until logs that are copies have what their leaders have; before the first snapshot of
   * them. {@link #requireEnd} fails for those that don't get there.
   */
  void catchUp(Collection<TopicPartition> partitions, Cancellation cancellation) {
    if (source.isFollower()) {
      behind = source.catchUp(partitions, cancellation);
      snapshots.keySet().removeAll(partitions);
    }
  }

  /** Fails if a log may lack records that its leader has. */
  void requireEnd(TopicPartition partition) {
    WhenceException failure = behind.get(partition);
    if (failure != null) {
      throw failure;
    }
  }

  /** Returns the log of a partition, the same one every time. */
  LogSnapshot snapshot(TopicPartition partition) {
    return snapshots.computeIfAbsent(partition, source::snapshot);
  }

  /**
   * Returns which partitions a query is about.
   *
   * @param listed the partitions that it names; empty for all
   * @param expectedCount how many partitions it wants the topic to have
   * @throws WhenceException when the query as a whole can't be answered
   */
  Selection select(String topic, List<Integer> listed, Optional<Integer> expectedCount) {
    TopicInfo info;
    try {
      info = topic(topic);
    } catch (WhenceException e) {
      if (listed.isEmpty()) {
        throw e;
      }
      // Each partition is going to say so itself.
      return new Selection(Optional.empty(), listed);
    }
    int count = info.partitionCount();
    if (expectedCount.isPresent() && expectedCount.get() != count) {
      throw countChanged(topic, expectedCount.get(), count);
    }
    return new Selection(
        Optional.of(count), listed.isEmpty() ? IntStream.range(0, count).boxed().toList() : listed);
  }

  /** Returns how many partitions a query asks about; 1 for all of a topic that isn't there. */
  int count(String topic, List<Integer> listed) {
    if (!listed.isEmpty()) {
      return listed.size();
    }
    try {
      return topic(topic).partitionCount();
    } catch (WhenceException e) {
      return 1; // The query says so itself, which takes as much as a partition.
    }
  }

  /** Returns the failure of a query that wants the topic to have another number of partitions. */
  static WhenceException countChanged(String topic, int expected, int count) {
    return WhenceException.of(
        ErrorReason.PARTITION_COUNT_CHANGED,
        "topic '" + topic + "' has " + count + " partitions, not " + expected,
        "topic",
        topic,
        "expected",
        expected,
        "partition_count",
        count);
  }

  /**
   * The partitions of a query.
   *
   * @param partitionCount how many the topic has; empty when it is not known
   * @param partitions the ones asked about, in order
   */
  @SuppressWarnings("OptionalUsedAsFieldOrParameterType")
  record Selection(Optional<Integer> partitionCount, List<Integer> partitions) {}
}
