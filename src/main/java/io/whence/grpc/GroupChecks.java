package io.whence.grpc;

import io.whence.commit.Group;
import io.whence.v1.GroupQuery;
import io.whence.v1.TopicPartitions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The rules that many requests about groups share, and what their lists of partitions stand for.
 */
final class GroupChecks {
  private static final int MAX_WRITER_CHARS = 255;

  private GroupChecks() {}

  /** Refuses no queries, what is wrong with one whatever there is, and too many partitions. */
  static void requireQueries(List<GroupQuery> queries, CallLimits limits) {
    QueryChecks.requireSome(queries, "queries");
    PartitionBudget budget = new PartitionBudget(limits.partitions(), "partitions");
    for (int i = 0; i < queries.size(); i++) {
      GroupQuery query = queries.get(i);
      FieldPath field = FieldPath.of("queries", i);
      requireGroup(query.getGroup(), field.child("group"));
      if (query.getTopicsCount() == 0) {
        budget.take(1, field);
      }
      for (int j = 0; j < query.getTopicsCount(); j++) {
        requireTopic(query.getTopics(j), field.child("topics", j), budget);
      }
    }
  }

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
    // All of a topic are one at least: be it that the topic isn't there.
    budget.take(Math.max(1, topic.getPartitionsCount()), field);
  }

  /** Refuses the name of a writer that is too long. */
  static void requireWriter(String writer) {
    requireShort(writer, MAX_WRITER_CHARS, FieldPath.of("writer"));
  }

  /** Refuses text of more characters, in UTF-16, than the limit. */
  static void requireShort(String text, int limit, FieldPath field) {
    if (text.length() > limit) {
      throw BadRequests.invalid(
          field, text, "has " + text.length() + " characters; at most " + limit + " are taken");
    }
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
