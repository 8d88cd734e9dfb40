package io.whence.grpc;

import io.whence.commit.CommittedOffset;
import io.whence.commit.Group;
import io.whence.commit.GroupOffsets;
import io.whence.commit.LagReader;
import io.whence.commit.LagStatus;
import io.whence.commit.LagSum;
import io.whence.commit.PartitionLag;
import io.whence.log.LogSnapshot;
import io.whence.model.IsolationLevel;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.v1.GetGroupLagRequest;
import io.whence.v1.GetGroupLagResponse;
import io.whence.v1.GroupLag;
import io.whence.v1.GroupQuery;
import io.whence.v1.PartitionError;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Answers GetGroupLag. A group that can't be read leaves the others alone. Thread safety:
 * thread-safe.
 */
final class LagHandler implements CallRunner.Work<GetGroupLagRequest, GetGroupLagResponse> {
  private final LagReader reader;

  LagHandler(LagReader reader) {
    this.reader = reader;
  }

  @Override
  public GetGroupLagResponse answer(GetGroupLagRequest request, CallScope scope) {
    GroupChecks.requireQueries(request.getQueriesList(), scope.limits());
    IsolationLevel isolation =
        Protos.isolation(request.getIsolationLevel(), request.getIsolationLevelValue());
    Call call = new Call(scope, new CallLogs(scope.source(request.getSource())), isolation);
    List<Asked> asked = call.asked(request.getQueriesList());
    call.catchUp(asked);
    GetGroupLagResponse.Builder response =
        GetGroupLagResponse.newBuilder()
            .setSource(call.logs.source().name())
            .setServerTimeMs(scope.serverTimeMs());
    asked.forEach(query -> response.addResults(call.result(query)));
    call.report();
    return response.build();
  }

  /**
   * A query with the group as it was at one moment, and the partitions that it means; of one that
   * can't be told, the error.
   */
  @SuppressWarnings("OptionalUsedAsFieldOrParameterType")
  private record Asked(
      String name,
      Optional<Group> group,
      List<TopicPartition> partitions,
      @Nullable PartitionError error) {}

  /** A lag; of a failed one, the row that says why. */
  private record Row(PartitionLag lag, io.whence.v1.PartitionLag answer) {}

  /** One call in work. */
  private final class Call {
    private final CallScope scope;
    private final CallLogs logs;
    private final IsolationLevel isolation;
    private final PartitionBudget budget;
    private final EnumMap<LagStatus, Long> tally = new EnumMap<>(LagStatus.class);

    Call(CallScope scope, CallLogs logs, IsolationLevel isolation) {
      this.scope = scope;
      this.logs = logs;
      this.isolation = isolation;
      budget = new PartitionBudget(scope.limits().partitions(), "partitions");
    }

    /**
     * Reads all groups, before the first log: logs only grow, so that what was committed before
     * lies in them. Refuses too much before any work.
     */
    List<Asked> asked(List<GroupQuery> queries) {
      GroupOffsets offsets = scope.groupOffsets(logs.source());
      LagPartitions partitions = new LagPartitions(logs, budget);
      List<Asked> asked = new ArrayList<>(queries.size());
      for (int i = 0; i < queries.size(); i++) {
        GroupQuery query = queries.get(i);
        scope.cancellation().check();
        FieldPath field = FieldPath.of("queries", i);
        asked.add(
            PartitionGuard.group(
                scope,
                query.getGroup(),
                () -> asked(query, offsets, partitions, field),
                error -> new Asked(query.getGroup(), Optional.empty(), List.of(), error)));
      }
      return asked;
    }

    /** A copy of a log may lack what was committed. */
    void catchUp(List<Asked> asked) {
      Set<TopicPartition> partitions = new LinkedHashSet<>();
      asked.forEach(query -> partitions.addAll(query.partitions()));
      logs.catchUp(partitions, scope.cancellation());
    }

    private Asked asked(
        GroupQuery query, GroupOffsets offsets, LagPartitions partitions, FieldPath field) {
      Optional<Group> group = offsets.group(query.getGroup()).filter(known -> !known.isEmpty());
      return new Asked(query.getGroup(), group, partitions.of(query, group, field), null);
    }

    GroupLag result(Asked asked) {
      PartitionError error = asked.error();
      if (error != null) {
        tally.merge(LagStatus.FAILED, 1L, Long::sum);
        return GroupLag.newBuilder().setGroup(asked.name()).setError(error).build();
      }
      GroupLag.Builder result =
          GroupLag.newBuilder().setGroup(asked.name()).setExists(asked.group().isPresent());
      LagSum sum = new LagSum();
      Set<TopicPartition> counted = new HashSet<>();
      for (TopicPartition partition : asked.partitions()) {
        Row row = row(partition, asked.group().flatMap(group -> group.offset(partition)));
        tally.merge(row.lag().status(), 1L, Long::sum);
        result.addPartitions(row.answer());
        // A partition that was asked for twice has two answers, but is behind only once.
        if (counted.add(partition)) {
          sum.add(row.lag());
        }
      }
      return result.setSum(LagAnswers.sum(sum)).build();
    }

    private Row row(TopicPartition partition, Optional<CommittedOffset> committed) {
      scope.cancellation().check();
      return PartitionGuard.answer(
          scope,
          partition.topic(),
          partition.partition(),
          () -> {
            PartitionLag lag = lag(partition, committed);
            return new Row(lag, LagAnswers.partition(partition, lag).build());
          },
          (PartitionError error) -> {
            PartitionLag lag = PartitionLag.none(LagStatus.FAILED, committed);
            return new Row(lag, LagAnswers.partition(partition, lag).setError(error).build());
          });
    }

    private PartitionLag lag(TopicPartition partition, Optional<CommittedOffset> committed) {
      logs.requireEnd(partition);
      LogSnapshot log;
      Optional<TopicId> topicId;
      try {
        log = logs.snapshot(partition);
        // As it is after the log was read: the topic that the call saw first could be gone.
        topicId = logs.source().topic(partition.topic()).topicId();
      } catch (WhenceException e) {
        return PartitionLag.none(statusWithoutLog(e, partition, committed), committed);
      }
      return reader.lag(
          committed, topicId, log, isolation, scope.serverTimeMs(), scope.cancellation());
    }

    private LagStatus statusWithoutLog(
        WhenceException failure, TopicPartition partition, Optional<CommittedOffset> committed) {
      return switch (failure.reason()) {
        case UNKNOWN_TOPIC -> LagStatus.UNKNOWN_TOPIC;
        case UNKNOWN_PARTITION ->
            isStale(partition, committed)
                ? LagStatus.STALE_TOPIC // Made anew with fewer partitions.
                : LagStatus.UNKNOWN_PARTITION;
        default -> throw failure;
      };
    }

    private boolean isStale(TopicPartition partition, Optional<CommittedOffset> committed) {
      Optional<TopicId> now = logs.source().topic(partition.topic()).topicId();
      return committed.filter(offset -> offset.isStaleFor(now)).isPresent();
    }

    void report() {
      scope.listener().onPartitions(scope.rpc(), budget.taken());
      tally.forEach(
          (status, count) ->
              scope
                  .listener()
                  .onAnswers(scope.rpc(), "none", status.name().toLowerCase(Locale.ROOT), count));
    }
  }
}
