package io.whence.grpc;

import io.whence.log.LogSnapshot;
import io.whence.model.IsolationLevel;
import io.whence.model.OffsetResolution;
import io.whence.model.RecordStamp;
import io.whence.model.TopicPartition;
import io.whence.v1.OffsetAnswer;
import io.whence.v1.OffsetQuery;
import io.whence.v1.OffsetQueryResult;
import io.whence.v1.Outcome;
import io.whence.v1.PartitionError;
import io.whence.v1.PositionKind;
import io.whence.v1.ResolveOffsetRequest;
import io.whence.v1.ResolveOffsetResponse;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Answers ResolveOffset. Thread safety: thread-safe. */
final class OffsetHandler implements CallRunner.Work<ResolveOffsetRequest, ResolveOffsetResponse> {
  private final PartitionResolver resolver;

  OffsetHandler(PartitionResolver resolver) {
    this.resolver = resolver;
  }

  @Override
  public ResolveOffsetResponse answer(ResolveOffsetRequest request, CallScope scope) {
    check(request, scope.limits());
    IsolationLevel isolation =
        Protos.isolation(request.getIsolationLevel(), request.getIsolationLevelValue());
    Call call = new Call(scope, new CallLogs(scope.source(request.getSource())), isolation);
    ResolveOffsetResponse.Builder response =
        ResolveOffsetResponse.newBuilder()
            .setSource(call.logs.source().name())
            .setServerTimeMs(scope.serverTimeMs());
    if (!request.getLocalOnly()) {
      call.catchUp(request.getQueriesList());
    }
    for (int i = 0; i < request.getQueriesCount(); i++) {
      response.addResults(call.result(i, request.getQueries(i)));
    }
    call.tally.report(scope, request.getQueriesCount());
    return response.build();
  }

  private static void check(ResolveOffsetRequest request, CallLimits limits) {
    QueryChecks.requireSome(request.getQueriesList(), "queries");
    PartitionBudget partitions = new PartitionBudget(limits.partitions(), "partitions");
    PartitionBudget offsets = new PartitionBudget(limits.offsets(), "offsets");
    for (int i = 0; i < request.getQueriesCount(); i++) {
      OffsetQuery query = request.getQueries(i);
      FieldPath field = FieldPath.of("queries", i);
      QueryChecks.requireTopic(query.getTopic(), field);
      QueryChecks.requirePartition(query.getPartition(), field.child("partition"));
      if (query.getOffsetsCount() == 0) {
        throw BadRequests.missing(field.child("offsets"), "give at least one");
      }
      for (int j = 0; j < query.getOffsetsCount(); j++) {
        QueryChecks.requireOffset(query.getOffsets(j), field.child("offsets", j));
      }
      partitions.take(1, field);
      offsets.take(query.getOffsetsCount(), field.child("offsets"));
    }
  }

  /** One call in work. */
  private final class Call {
    private final CallScope scope;
    private final CallLogs logs;
    private final IsolationLevel isolation;
    private final AnswerTally tally = new AnswerTally();

    Call(CallScope scope, CallLogs logs, IsolationLevel isolation) {
      this.scope = scope;
      this.logs = logs;
      this.isolation = isolation;
    }

    /** Offsets at the end or behind it may be there at the leader. */
    void catchUp(List<OffsetQuery> queries) {
      if (!logs.source().isFollower()) {
        return;
      }
      Set<TopicPartition> due = new LinkedHashSet<>();
      for (OffsetQuery query : queries) {
        try {
          LogSnapshot log = logs.snapshot(partition(query));
          if (query.getOffsetsList().stream().anyMatch(o -> needsEnd(log, o))) {
            due.add(partition(query));
          }
        } catch (RuntimeException e) {
          scope.cancellation().check();
          // Its answer says so.
        }
      }
      logs.catchUp(due, scope.cancellation());
    }

    private boolean needsEnd(LogSnapshot log, long offset) {
      return resolver.resolveOffset(log, offset, isolation, scope.cancellation()).record() == null;
    }

    OffsetQueryResult result(int index, OffsetQuery query) {
      return PartitionGuard.answer(
          scope,
          query.getTopic(),
          query.getPartition(),
          () -> answered(index, query),
          error -> {
            tally.failed(PositionKind.POSITION_KIND_UNSPECIFIED);
            return start(index, query).setError(error).build();
          });
    }

    private OffsetQueryResult answered(int index, OffsetQuery query) {
      LogSnapshot log = logs.snapshot(partition(query));
      OffsetQueryResult.Builder result =
          start(index, query).setBounds(Protos.bounds(log.bounds(isolation)));
      for (long offset : query.getOffsetsList()) {
        OffsetAnswer answer = answer(log, query, offset);
        tally.count(
            PositionKind.POSITION_KIND_UNSPECIFIED, answer.getOutcome(), answer.getOrigin());
        result.addAnswers(answer);
      }
      return result.build();
    }

    private OffsetAnswer answer(LogSnapshot log, OffsetQuery query, long offset) {
      scope.cancellation().check();
      return PartitionGuard.answer(
          scope,
          query.getTopic(),
          query.getPartition(),
          () -> answered(log, query, offset),
          (PartitionError error) ->
              OffsetAnswer.newBuilder()
                  .setOffset(offset)
                  .setOutcome(Outcome.OUTCOME_FAILED)
                  .setError(error)
                  .build());
    }

    private OffsetAnswer answered(LogSnapshot log, OffsetQuery query, long offset) {
      OffsetResolution resolution =
          resolver.resolveOffset(log, offset, isolation, scope.cancellation());
      if (resolution.record() == null) {
        logs.requireEnd(partition(query));
      }
      return found(offset, resolution)
          .setStalenessMs(logs.source().stalenessMs(partition(query)))
          .build();
    }

    private static TopicPartition partition(OffsetQuery query) {
      return new TopicPartition(query.getTopic(), query.getPartition());
    }

    private OffsetAnswer.Builder found(long offset, OffsetResolution resolution) {
      OffsetAnswer.Builder answer =
          OffsetAnswer.newBuilder()
              .setOffset(offset)
              .setOutcome(Protos.outcome(resolution.outcome()))
              .setExact(resolution.exact())
              .setStartCut(resolution.startCut())
              .setOrigin(Protos.origin(resolution.origin()));
      RecordStamp record = resolution.record();
      if (record != null) {
        answer
            .setRecord(Protos.record(record))
            .setFutureTimestamp(record.timestampMs() > scope.serverTimeMs());
      }
      return answer;
    }

    private static OffsetQueryResult.Builder start(int index, OffsetQuery query) {
      return OffsetQueryResult.newBuilder()
          .setQueryIndex(index)
          .setTopic(query.getTopic())
          .setPartition(query.getPartition());
    }
  }
}
