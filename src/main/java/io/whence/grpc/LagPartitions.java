package io.whence.grpc;

import io.whence.commit.Group;
import io.whence.model.ErrorReason;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.v1.GroupQuery;
import io.whence.v1.TopicPartitions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Finds the partitions that queries about the lag of groups mean: all of a topic, but never without
 * those that an offset is committed for, be the topic there or not. Thread safety: single-writer.
 */
final class LagPartitions {
  private final CallLogs logs;
  private final PartitionBudget budget;

  LagPartitions(CallLogs logs, PartitionBudget budget) {
    this.logs = logs;
    this.budget = budget;
  }

  /** Returns the partitions of a query, or fails the call when they are too many. */
  List<TopicPartition> of(GroupQuery query, Optional<Group> group, FieldPath field) {
    Map<String, List<Integer>> committed =
        group.map(GroupChecks::partitionsByTopic).orElse(Map.of());
    List<TopicPartition> partitions = new ArrayList<>();
    if (query.getTopicsCount() == 0) {
      for (String topic : group.map(Group::topics).orElse(List.of())) {
        addAll(topic, committed.getOrDefault(topic, List.of()), partitions, field);
      }
      return partitions;
    }
    for (int i = 0; i < query.getTopicsCount(); i++) {
      TopicPartitions topic = query.getTopics(i);
      FieldPath own = field.child("topics", i);
      if (topic.getPartitionsCount() == 0) {
        addAll(
            topic.getTopic(), committed.getOrDefault(topic.getTopic(), List.of()), partitions, own);
      } else {
        budget.take(topic.getPartitionsCount(), own);
        topic.getPartitionsList().forEach(p -> add(topic.getTopic(), p, partitions));
      }
    }
    return partitions;
  }

  private void addAll(
      String topic, List<Integer> committed, List<TopicPartition> partitions, FieldPath field) {
    int count = partitionCount(topic);
    List<Integer> beyond = committed.stream().filter(partition -> partition >= count).toList();
    // A topic that was asked for and that nothing is known of is shown as one that isn't there.
    int shown = count == 0 && beyond.isEmpty() ? 1 : count;
    budget.take(shown + beyond.size(), field);
    for (int partition = 0; partition < shown; partition++) {
      add(topic, partition, partitions);
    }
    beyond.forEach(partition -> add(topic, partition, partitions));
  }

  private int partitionCount(String topic) {
    try {
      return logs.topic(topic).partitionCount();
    } catch (WhenceException e) {
      if (e.reason() == ErrorReason.UNKNOWN_TOPIC) {
        return 0;
      }
      throw e;
    }
  }

  private static void add(String topic, int partition, List<TopicPartition> partitions) {
    partitions.add(new TopicPartition(topic, partition));
  }
}
