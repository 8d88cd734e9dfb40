package io.whence.grpc;

import io.whence.commit.Group;
import io.whence.commit.reset.ResetTarget;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.source.LogSource;
import io.whence.v1.PlanResetRequest;
import io.whence.v1.TopicPartitions;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/** Finds the partitions that a plan is about. */
final class ResetPartitions {
  private static final FieldPath TOPICS = FieldPath.of("topics");

  private ResetPartitions() {}

  /** Refuses what is wrong with a request whatever there is, and what asks for too much. */
  static void check(PlanResetRequest request, CallLimits limits) {
    PartitionBudget budget = budget(limits);
    for (int i = 0; i < request.getTopicsCount(); i++) {
      GroupChecks.requireTopic(request.getTopics(i), FieldPath.of("topics", i), budget);
    }
    boolean listed = request.getTarget().hasOffsets();
    if (listed && request.getTopicsCount() > 0) {
      throw BadRequests.invalid(
          TOPICS,
          request.getTopicsCount() + " topics",
          "target.offsets says which partitions; leave topics empty");
    }
    if (listed) {
      budget.take(
          request.getTarget().getOffsets().getOffsetsCount(),
          FieldPath.of("target").child("offsets"));
    }
  }

  /** Returns whether the request names its partitions itself. */
  static boolean areNamed(PlanResetRequest request, ResetTarget target) {
    return request.getTopicsCount() > 0 || target instanceof ResetTarget.Offsets;
  }

  /** Returns the partitions, each once. */
  static List<TopicPartition> of(
      PlanResetRequest request,
      ResetTarget target,
      Group group,
      LogSource source,
      CallLimits limits) {
    if (target instanceof ResetTarget.Offsets given) {
      return List.copyOf(given.offsets().keySet());
    }
    if (request.getTopicsCount() > 0) {
      return named(request.getTopicsList(), source, budget(limits));
    }
    Group committed = followed(target, group);
    if (committed.isEmpty()) {
      throw BadRequests.missing(
          TOPICS,
          "group '"
              + BadRequests.shown(committed.name())
              + "' has committed nothing, so that there is nothing to reset; name topics");
    }
    budget(limits).take(committed.offsetCount(), TOPICS);
    return committed.partitions();
  }

  private static Group followed(ResetTarget target, Group group) {
    if (target instanceof ResetTarget.OfGroup other) {
      return other.group();
    }
    return target instanceof ResetTarget.OfSourceGroup other ? other.group() : group;
  }

  private static PartitionBudget budget(CallLimits limits) {
    return new PartitionBudget(limits.partitions(), "partitions");
  }

  private static List<TopicPartition> named(
      List<TopicPartitions> topics, LogSource source, PartitionBudget budget) {
    Set<TopicPartition> partitions = new LinkedHashSet<>();
    for (int i = 0; i < topics.size(); i++) {
      TopicPartitions topic = topics.get(i);
      FieldPath field = FieldPath.of("topics", i);
      List<Integer> numbers = numbers(topic, source);
      budget.take(numbers.size(), field);
      for (int number : numbers) {
        TopicPartition partition = new TopicPartition(topic.getTopic(), number);
        if (!partitions.add(partition)) {
          throw twice(field, partition);
        }
      }
    }
    return new ArrayList<>(partitions);
  }

  private static List<Integer> numbers(TopicPartitions topic, LogSource source) {
    if (topic.getPartitionsCount() > 0) {
      return topic.getPartitionsList();
    }
    return IntStream.range(0, source.topic(topic.getTopic()).partitionCount()).boxed().toList();
  }

  /** Makes the failure of a partition that is listed twice. */
  static WhenceException twice(FieldPath field, TopicPartition partition) {
    return BadRequests.invalid(
        field,
        partition,
        "partition "
            + partition.partition()
            + " of topic '"
            + BadRequests.shown(partition.topic())
            + "' is listed twice");
  }
}
