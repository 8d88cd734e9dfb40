package io.whence.grpc;

import io.whence.commit.Group;
import io.whence.commit.GroupOffsets;
import io.whence.source.LogSource;
import io.whence.v1.FetchOffsetRequest;
import io.whence.v1.FetchOffsetResponse;
import io.whence.v1.GroupOffsetsResult;
import io.whence.v1.GroupQuery;
import io.whence.v1.TopicPartitions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Shows what groups have committed. A group that can't be read leaves the others alone. Thread
 * safety: single-writer; one for each call.
 */
final class FetchHandler {
  private static final int MAX_HISTORY = 100;

  /** Each reads a batch of the log; a call must not keep a worker for long. */
  private static final int MAX_CHANGES = 2_000;

  private final FetchOffsetRequest request;
  private final CallScope scope;
  private final GroupOffsets groups;
  private final OffsetAnswers answers;

  /** What is asked for without being listed counts too. */
  private final PartitionBudget partitions;

  private final PartitionBudget changes;

  private FetchHandler(FetchOffsetRequest request, CallScope scope, LogSource source) {
    this.request = request;
    this.scope = scope;
    groups = scope.groupOffsets(source);
    answers = new OffsetAnswers(scope, source, groups, request.getHistory());
    partitions = new PartitionBudget(scope.limits().partitions(), "partitions");
    changes =
        new PartitionBudget(Math.min(MAX_CHANGES, scope.limits().offsets()), "changes of offsets");
  }

  static FetchOffsetResponse fetch(FetchOffsetRequest request, CallScope scope) {
    check(request, scope.limits());
    LogSource source = scope.source(request.getSource());
    FetchHandler call = new FetchHandler(request, scope, source);
    FetchOffsetResponse.Builder response =
        FetchOffsetResponse.newBuilder()
            .setSource(source.name())
            .setServerTimeMs(scope.serverTimeMs());
    for (int i = 0; i < request.getQueriesCount(); i++) {
      response.addResults(call.result(request.getQueries(i), FieldPath.of("queries", i)));
    }
    scope.listener().onPartitions(scope.rpc(), call.partitions.taken());
    call.answers.report();
    return response.build();
  }

  private static void check(FetchOffsetRequest request, CallLimits limits) {
    GroupChecks.requireQueries(request.getQueriesList(), limits);
    if (request.getHistory() < 0 || request.getHistory() > MAX_HISTORY) {
      throw BadRequests.invalid(
          FieldPath.of("history"),
          request.getHistory(),
          request.getHistory() + " is not between 0 and " + MAX_HISTORY);
    }
  }

  private GroupOffsetsResult result(GroupQuery query, FieldPath field) {
    scope.cancellation().check();
    return PartitionGuard.group(
        scope,
        query.getGroup(),
        () -> told(query, field),
        error -> {
          answers.countFailed();
          return GroupOffsetsResult.newBuilder().setGroup(query.getGroup()).setError(error).build();
        });
  }

  private GroupOffsetsResult told(GroupQuery query, FieldPath field) {
    Optional<Group> found = groups.group(query.getGroup());
    Group group = found.orElseGet(() -> Group.empty(query.getGroup()));
    GroupOffsetsResult.Builder result =
        GroupOffsetsResult.newBuilder().setGroup(query.getGroup()).setExists(!group.isEmpty());
    if (query.getTopicsCount() == 0) {
      take(group.offsetCount(), field);
      group.forEach(
          (topic, partition, offset) -> result.addOffsets(answers.of(group, topic, partition)));
      return result.build();
    }
    Map<String, List<Integer>> committed = GroupChecks.partitionsByTopic(group);
    for (TopicPartitions topic : query.getTopicsList()) {
      List<Integer> wanted = wanted(topic, committed.getOrDefault(topic.getTopic(), List.of()));
      take(wanted.size(), field);
      for (int partition : wanted) {
        result.addOffsets(answers.of(group, topic.getTopic(), partition));
      }
    }
    return result.build();
  }

  private void take(int count, FieldPath field) {
    partitions.take(count, field);
    changes.take(count, request.getHistory(), FieldPath.of("history"));
  }

  private List<Integer> wanted(TopicPartitions topic, List<Integer> committed) {
    if (topic.getPartitionsCount() > 0) {
      return topic.getPartitionsList();
    }
    TreeSet<Integer> all = new TreeSet<>(committed);
    int count = answers.partitionCount(topic.getTopic());
    for (int partition = 0; partition < count; partition++) {
      all.add(partition);
    }
    if (all.isEmpty()) {
      // Or nothing would say that there is no such topic.
      all.add(0);
    }
    return List.copyOf(all);
  }
}
