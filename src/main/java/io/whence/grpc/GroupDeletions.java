package io.whence.grpc;

import io.whence.commit.DeletedOffset;
import io.whence.commit.Group;
import io.whence.commit.GroupOffsets;
import io.whence.model.TopicPartition;
import io.whence.v1.DeleteGroupRequest;
import io.whence.v1.DeleteGroupResponse;
import io.whence.v1.DeleteOffsetRequest;
import io.whence.v1.DeleteOffsetResponse;
import io.whence.v1.DeleteOffsetResult;
import io.whence.v1.TopicPartitions;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/** Removes committed offsets, and groups. */
final class GroupDeletions {
  private GroupDeletions() {}

  static CompletionStage<DeleteGroupResponse> deleteGroup(
      DeleteGroupRequest request, CallScope scope) {
    GroupChecks.requireGroup(request.getGroup(), FieldPath.of("group"));
    return scope
        .groupOffsets(scope.source(request.getSource()))
        .deleteGroup(request.getGroup(), scope.cancellation())
        .thenApply(count -> DeleteGroupResponse.newBuilder().setDeletedOffsetCount(count).build());
  }

  static CompletionStage<DeleteOffsetResponse> deleteOffsets(
      DeleteOffsetRequest request, CallScope scope) {
    check(request, scope.limits());
    GroupOffsets groups = scope.groupOffsets(scope.source(request.getSource()));
    Set<TopicPartition> partitions = partitions(request, groups.group(request.getGroup()));
    scope.listener().onPartitions(scope.rpc(), partitions.size());
    return groups
        .deleteOffsets(request.getGroup(), List.copyOf(partitions), scope.cancellation())
        .thenApply(GroupDeletions::response);
  }

  private static void check(DeleteOffsetRequest request, CallLimits limits) {
    GroupChecks.requireGroup(request.getGroup(), FieldPath.of("group"));
    QueryChecks.requireSome(request.getTopicsList(), "topics");
    PartitionBudget budget = new PartitionBudget(limits.partitions(), "partitions");
    for (int i = 0; i < request.getTopicsCount(); i++) {
      GroupChecks.requireTopic(request.getTopics(i), FieldPath.of("topics", i), budget);
    }
  }

  /** Returns the partitions in the order of the request, each once. */
  private static Set<TopicPartition> partitions(
      DeleteOffsetRequest request, Optional<Group> group) {
    Map<String, List<Integer>> committed =
        group.map(GroupChecks::partitionsByTopic).orElse(Map.of());
    Set<TopicPartition> partitions = new LinkedHashSet<>();
    for (TopicPartitions topic : request.getTopicsList()) {
      List<Integer> listed =
          topic.getPartitionsCount() > 0
              ? topic.getPartitionsList()
              : committed.getOrDefault(topic.getTopic(), List.of());
      listed.forEach(partition -> partitions.add(new TopicPartition(topic.getTopic(), partition)));
    }
    return partitions;
  }

  private static DeleteOffsetResponse response(List<DeletedOffset> deleted) {
    DeleteOffsetResponse.Builder response = DeleteOffsetResponse.newBuilder();
    for (DeletedOffset offset : deleted) {
      DeleteOffsetResult.Builder result =
          DeleteOffsetResult.newBuilder()
              .setTopic(offset.partition().topic())
              .setPartition(offset.partition().partition());
      offset.offsetBefore().ifPresent(result::setOffsetBefore);
      response.addResults(result);
    }
    return response.build();
  }
}
