package io.whence.commit.kafka;

import io.whence.commit.CommittedOffset;
import io.whence.commit.Group;
import io.whence.commit.GroupState;
import io.whence.model.TopicPartition;
import io.whence.source.kafka.RenewedAdmin;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.GroupIdNotFoundException;

/**
 * Reads what groups have committed from their coordinators. Waits for answers; throws what Kafka's
 * client throws. Thread safety: thread-safe.
 */
final class OffsetReads {
  /** A transaction that takes longer than this to end may take minutes. */
  private static final Duration SETTLING = Duration.ofMillis(250);

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  /** Nothing is known of the members: that would be another question, and a slow one. */
  private static final GroupState UNTOLD = new GroupState(GroupState.SIMPLE.kind(), -1, -1);

  private final RenewedAdmin admin;

  OffsetReads(RenewedAdmin admin) {
    this.admin = admin;
  }

  /** Returns all that is committed; what transactions have yet to decide is as it was before. */
  Group all(String group, Deadline deadline) {
    Deadline settling = deadline.within(SETTLING);
    while (true) {
      KafkaFuture<Map<org.apache.kafka.common.TopicPartition, OffsetAndMetadata>> stable =
          ask(group, List.of(), true, deadline);
      Group latest = group(group, answer(ask(group, List.of(), false, deadline), deadline));
      Group decided = group(group, answer(stable, deadline));
      if (decided.partitions().containsAll(latest.partitions())) {
        return decided;
      }
      if (settling.isOver()) {
        return latest;
      }
      settling.pause(PAUSE_NANOS);
    }
  }

  /** Reads some partitions; what transactions have yet to decide is undecided. */
  GroupRead stable(String group, Collection<TopicPartition> partitions, Deadline deadline) {
    if (partitions.isEmpty()) {
      return new GroupRead(Group.empty(group), Set.of());
    }
    Map<org.apache.kafka.common.TopicPartition, OffsetAndMetadata> answer =
        answer(ask(group, partitions, true, deadline), deadline);
    Set<TopicPartition> undecided = new HashSet<>(partitions);
    answer.keySet().forEach(partition -> undecided.remove(KafkaTypes.partition(partition)));
    return new GroupRead(group(group, answer), undecided);
  }

  /** Reads some partitions; what transactions have yet to decide is as it was before. */
  Group latest(String group, Collection<TopicPartition> partitions, Deadline deadline) {
    return partitions.isEmpty()
        ? Group.empty(group)
        : group(group, answer(ask(group, partitions, false, deadline), deadline));
  }

  /** Reads some partitions; waits a little for transactions to end, and then does without. */
  Group settled(String group, Collection<TopicPartition> partitions, Deadline deadline) {
    Deadline settling = deadline.within(SETTLING);
    GroupRead read = stable(group, partitions, deadline);
    while (!read.isDecided() && !settling.isOver()) {
      settling.pause(PAUSE_NANOS);
      read = stable(group, partitions, deadline);
    }
    return read.isDecided() ? read.group() : latest(group, partitions, deadline);
  }

  private KafkaFuture<Map<org.apache.kafka.common.TopicPartition, OffsetAndMetadata>> ask(
      String group, Collection<TopicPartition> partitions, boolean stable, Deadline deadline) {
    ListConsumerGroupOffsetsSpec spec = new ListConsumerGroupOffsetsSpec();
    if (!partitions.isEmpty()) {
      spec.topicPartitions(partitions.stream().map(KafkaTypes::kafka).toList());
    }
    return admin
        .client()
        .listConsumerGroupOffsets(Map.of(group, spec), options(stable, deadline))
        .partitionsToOffsetAndMetadata(group);
  }

  static ListConsumerGroupOffsetsOptions options(boolean stable, Deadline deadline) {
    return new ListConsumerGroupOffsetsOptions()
        .requireStable(stable)
        .timeoutMs(deadline.remainingMs());
  }

  private static Map<org.apache.kafka.common.TopicPartition, OffsetAndMetadata> answer(
      KafkaFuture<Map<org.apache.kafka.common.TopicPartition, OffsetAndMetadata>> future,
      Deadline deadline) {
    try {
      return AdminCalls.await(future, deadline);
    } catch (GroupIdNotFoundException e) {
      return Map.of(); // It has committed nothing.
    }
  }

  private static Group group(
      String name, Map<org.apache.kafka.common.TopicPartition, OffsetAndMetadata> offsets) {
    return group(name, UNTOLD, offsets);
  }

  /** Returns a group with what an answer tells; a partition with nothing is there with null. */
  static Group group(
      String name,
      GroupState state,
      Map<org.apache.kafka.common.TopicPartition, OffsetAndMetadata> offsets) {
    SortedMap<String, SortedMap<Integer, CommittedOffset>> byTopic = new TreeMap<>();
    offsets.forEach(
        (partition, offset) -> {
          if (offset != null) {
            byTopic
                .computeIfAbsent(partition.topic(), topic -> new TreeMap<>())
                .put(partition.partition(), KafkaTypes.committed(offset));
          }
        });
    return Group.of(name, state, byTopic);
  }
}
