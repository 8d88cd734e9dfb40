package io.whence.grpc;

import io.whence.commit.Group;
import io.whence.v1.TopicPartitions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The rules that many requests about groups share, and what their lists of partitions stand for.
 */
final class GroupChecks {
  private GroupChecks() {}

  /** Refuses a missing group. */
  static void requireGroup(String group, FieldPath field) {
    if (group.isEmpty()) {
      throw BadRequests.missing(field, "give the name of a group");
    }
  }

  /** Refuses a missing topic, negative partitions and too many of them. */
  static void requireTopic(TopicPartitions topic, FieldPath field, PartitionBudget budget) {
    QueryChecks.requireTopic(topic.getTopic(), field);
    QueryChecks.requirePartitions(topic.getPartitionsList(), field);
    budget.take(topic.getPartitionsCount(), field);
  }

  /** Returns the partitions of which a group has offsets, ascending, by topic. */
  static Map<String, List<Integer>> partitionsByTopic(Group group) {
    Map<String, List<Integer>> partitions = new HashMap<>();
    group.forEach(
        (topic, partition, offset) ->
            partitions.computeIfAbsent(topic, name -> new ArrayList<>()).add(partition));
    return partitions;
  }
}
