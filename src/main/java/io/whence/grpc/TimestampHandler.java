package io.whence.grpc;

import io.whence.model.IsolationLevel;
import io.whence.model.Resolution;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.v1.Outcome;
import io.whence.v1.PartitionError;
import io.whence.v1.ResolveTimestampRequest;
import io.whence.v1.ResolveTimestampResponse;
import io.whence.v1.TimestampAnswer;
import io.whence.v1.TimestampQuery;
import io.whence.v1.TimestampQueryResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Answers ResolveTimestamp. Thread safety: thread-safe. */
final class TimestampHandler
    implements CallRunner.Work<ResolveTimestampRequest, ResolveTimestampResponse> {
  private final PartitionResolver resolver;

  TimestampHandler(PartitionResolver resolver) {
    this.resolver = resolver;
  }

  @Override
  public ResolveTimestampResponse answer(ResolveTimestampRequest request, CallScope scope) {
    QueryChecks.requireSome(request.getQueriesList(), "queries");
    IsolationLevel isolation =
        Protos.isolation(request.getIsolationLevel(), request.getIsolationLevelValue());
    List<Target> targets = targets(request, scope.serverTimeMs());
    Call call = new Call(scope, new CallLogs(scope.source(request.getSource())), isolation);
    ResolveTimestampResponse.Builder response =
        ResolveTimestampResponse.newBuilder()
            .setSource(call.logs.source().name())
            .setServerTimeMs(scope.serverTimeMs());
    call.requireWithinLimit(request.getQueriesList());
    for (int i = 0; i < targets.size(); i++) {
      response.addResults(call.result(i, request.getQueries(i), targets.get(i)));
    }
    call.tally.report(scope, call.budget.taken());
    return response.build();
  }

  private static List<Target> targets(ResolveTimestampRequest request, long serverTimeMs) {
    TimePoints times = new TimePoints(serverTimeMs, request.getAllowUnusualTime());
    List<Target> targets = new ArrayList<>(request.getQueriesCount());
    for (int i = 0; i < request.getQueriesCount(); i++) {
      TimestampQuery query = request.getQueries(i);
      FieldPath field = FieldPath.of("queries", i);
      QueryChecks.requireTopic(query.getTopic(), field);
      QueryChecks.requirePartitions(query.getPartitionsList(), field);
      targets.add(Target.of(query.getPosition(), times, field.child("position")));
    }
    return targets;
  }

  /** One call in work. */
  private final class Call {
    private final CallScope scope;
    private final CallLogs logs;
    private final IsolationLevel isolation;
    private final AnswerTally tally = new AnswerTally();
    private final PartitionBudget budget;
    private final TimestampAnswers answers;

    Call(CallScope scope, CallLogs logs, IsolationLevel isolation) {
      this.scope = scope;
      this.logs = logs;
      this.isolation = isolation;
      budget = new PartitionBudget(scope.limits().partitions(), "partitions");
      answers = new TimestampAnswers(scope.serverTimeMs(), logs.source().stalenessMs());
    }

    /** Before any work: a call that is refused must not cost what it asked for. */
    void requireWithinLimit(List<TimestampQuery> queries) {
      for (int i = 0; i < queries.size(); i++) {
        TimestampQuery query = queries.get(i);
        int count = logs.count(query.getTopic(), query.getPartitionsList());
        budget.take(count, FieldPath.of("queries", i));
      }
    }

    TimestampQueryResult result(int index, TimestampQuery query, Target target) {
      TimestampQueryResult.Builder result =
          TimestampQueryResult.newBuilder()
              .setQueryIndex(index)
              .setTopic(query.getTopic())
              .setPositionKind(target.kind());
      if (target.timed()) {
        result.setTargetTimestampMs(target.timestampMs());
      }
      try {
        addAnswers(query, target, result);
      } catch (WhenceException e) {
        result.setError(PartitionGuard.queryError(e));
        tally.count(target.kind(), Outcome.OUTCOME_FAILED);
      }
      return result.build();
    }

    private void addAnswers(
        TimestampQuery query, Target target, TimestampQueryResult.Builder result) {
      CallLogs.Selection selection =
          logs.select(
              query.getTopic(),
              query.getPartitionsList(),
              query.hasExpectPartitionCount()
                  ? Optional.of(query.getExpectPartitionCount())
                  : Optional.empty());
      selection.partitionCount().ifPresent(result::setPartitionCount);
      for (int partition : selection.partitions()) {
        TimestampAnswer answer = answer(query.getTopic(), partition, target);
        tally.count(target.kind(), answer.getOutcome());
        result.addAnswers(answer);
      }
    }

    private TimestampAnswer answer(String topic, int partition, Target target) {
      scope.cancellation().check();
      return PartitionGuard.answer(
          scope,
          topic,
          partition,
          () -> {
            Resolution resolution =
                resolver.resolve(
                    logs.snapshot(new TopicPartition(topic, partition)),
                    target.position(),
                    isolation,
                    scope.cancellation());
            return answers.answer(partition, target, resolution);
          },
          (PartitionError error) -> TimestampAnswers.failed(partition, error));
    }
  }
}
