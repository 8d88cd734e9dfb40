package io.whence.grpc;

import io.whence.model.IsolationLevel;
import io.whence.model.TimeWindow;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.v1.PartitionError;
import io.whence.v1.PositionKind;
import io.whence.v1.ResolveWindowRequest;
import io.whence.v1.ResolveWindowResponse;
import io.whence.v1.WindowAnswer;
import io.whence.v1.WindowQuery;
import io.whence.v1.WindowQueryResult;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Answers ResolveWindow. Thread safety: thread-safe. */
final class WindowHandler implements CallRunner.Work<ResolveWindowRequest, ResolveWindowResponse> {
  private final PartitionResolver resolver;

  WindowHandler(PartitionResolver resolver) {
    this.resolver = resolver;
  }

  @Override
  public ResolveWindowResponse answer(ResolveWindowRequest request, CallScope scope) {
    QueryChecks.requireSome(request.getQueriesList(), "queries");
    IsolationLevel isolation =
        Protos.isolation(request.getIsolationLevel(), request.getIsolationLevelValue());
    List<TimeWindow> windows = windows(request, scope.serverTimeMs());
    Call call = new Call(scope, new CallLogs(scope.source(request.getSource())), isolation);
    ResolveWindowResponse.Builder response =
        ResolveWindowResponse.newBuilder()
            .setSource(call.logs.source().name())
            .setServerTimeMs(scope.serverTimeMs());
    call.requireWithinLimit(request.getQueriesList());
    if (!request.getLocalOnly()) {
      call.catchUp(request.getQueriesList());
    }
    for (int i = 0; i < windows.size(); i++) {
      response.addResults(call.result(i, request.getQueries(i), windows.get(i)));
    }
    call.tally.report(scope, call.budget.taken());
    return response.build();
  }

  private static List<TimeWindow> windows(ResolveWindowRequest request, long serverTimeMs) {
    TimePoints times = new TimePoints(serverTimeMs, request.getAllowUnusualTime());
    List<TimeWindow> windows = new ArrayList<>(request.getQueriesCount());
    for (int i = 0; i < request.getQueriesCount(); i++) {
      WindowQuery query = request.getQueries(i);
      FieldPath field = FieldPath.of("queries", i);
      QueryChecks.requireTopic(query.getTopic(), field);
      QueryChecks.requirePartitions(query.getPartitionsList(), field);
      windows.add(window(query, times, field));
    }
    return windows;
  }

  private static TimeWindow window(WindowQuery query, TimePoints times, FieldPath field) {
    long fromMs = times.epochMs(query.getFrom(), Rounding.UP, field.child("from"));
    long toMs = times.epochMs(query.getTo(), Rounding.UP, field.child("to"));
    if (toMs < fromMs) {
      throw BadRequests.invalid(
          field.child("to"),
          toMs,
          Instant.ofEpochMilli(toMs) + " lies before from, " + Instant.ofEpochMilli(fromMs));
    }
    return new TimeWindow(fromMs, toMs);
  }

  /** One call in work. */
  private final class Call {
    private final CallScope scope;
    private final CallLogs logs;
    private final IsolationLevel isolation;
    private final AnswerTally tally = new AnswerTally();
    private final PartitionBudget budget;

    Call(CallScope scope, CallLogs logs, IsolationLevel isolation) {
      this.scope = scope;
      this.logs = logs;
      this.isolation = isolation;
      budget = new PartitionBudget(scope.limits().partitions(), "partitions");
    }

    /** Before any work: a call that is refused must not cost what it asked for. */
    void requireWithinLimit(List<WindowQuery> queries) {
      for (int i = 0; i < queries.size(); i++) {
        WindowQuery query = queries.get(i);
        int count = logs.count(query.getTopic(), query.getPartitionsList());
        budget.take(count, FieldPath.of("queries", i));
      }
    }

    /** A record of a window may be the next one that comes. */
    void catchUp(List<WindowQuery> queries) {
      Set<TopicPartition> partitions = new LinkedHashSet<>();
      for (WindowQuery query : queries) {
        int count = query.getPartitionsCount();
        int shown = count == 0 ? logs.count(query.getTopic(), List.of()) : count;
        for (int i = 0; i < shown; i++) {
          int number = count == 0 ? i : query.getPartitions(i);
          partitions.add(new TopicPartition(query.getTopic(), number));
        }
      }
      logs.catchUp(partitions, scope.cancellation());
    }

    WindowQueryResult result(int index, WindowQuery query, TimeWindow window) {
      WindowQueryResult.Builder result =
          WindowQueryResult.newBuilder()
              .setQueryIndex(index)
              .setTopic(query.getTopic())
              .setFromMs(window.fromMs())
              .setToMs(window.toMs());
      try {
        addAnswers(query, window, result);
      } catch (WhenceException e) {
        result.setError(PartitionGuard.queryError(e));
        tally.failed(PositionKind.POSITION_KIND_UNSPECIFIED);
      }
      return result.build();
    }

    private void addAnswers(
        WindowQuery query, TimeWindow window, WindowQueryResult.Builder result) {
      CallLogs.Selection selection =
          logs.select(
              query.getTopic(),
              query.getPartitionsList(),
              query.hasExpectPartitionCount()
                  ? Optional.of(query.getExpectPartitionCount())
                  : Optional.empty());
      selection.partitionCount().ifPresent(result::setPartitionCount);
      for (int partition : selection.partitions()) {
        WindowAnswer answer = answer(query.getTopic(), partition, window);
        tally.count(
            PositionKind.POSITION_KIND_UNSPECIFIED, answer.getOutcome(), answer.getOrigin());
        result.addAnswers(answer);
      }
    }

    private WindowAnswer answer(String topic, int partition, TimeWindow window) {
      scope.cancellation().check();
      return PartitionGuard.answer(
          scope,
          topic,
          partition,
          () -> found(new TopicPartition(topic, partition), window),
          (PartitionError error) -> WindowAnswers.failed(partition, error));
    }

    private WindowAnswer found(TopicPartition partition, TimeWindow window) {
      logs.requireEnd(partition);
      return WindowAnswers.answer(
          partition.partition(),
          resolver.resolveWindow(logs.snapshot(partition), window, isolation, scope.cancellation()),
          logs.source().stalenessMs(partition));
    }
  }
}
