package io.whence.grpc;

import com.google.protobuf.Duration;
import com.google.protobuf.util.Durations;
import io.whence.model.IsolationLevel;
import io.whence.model.Position;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.source.LogSource;
import io.whence.source.TopicInfo;
import io.whence.v1.PositionKind;
import io.whence.v1.WatchQuery;
import io.whence.v1.WatchTimestampRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * What a watch is to do, checked. Thread safety: immutable.
 *
 * @param source the source
 * @param isolation which records count
 * @param timesMs the moments, in epoch milliseconds, by query
 * @param targets the partitions, in the order of the queries
 * @param progressNanos how often to tell of progress, in nanoseconds; 0 for never
 */
record WatchPlan(
    LogSource source,
    IsolationLevel isolation,
    List<Long> timesMs,
    List<WatchTarget> targets,
    long progressNanos) {
  private static final long MAX_PROGRESS_SECONDS = TimeUnit.DAYS.toSeconds(365);

  WatchPlan {
    timesMs = List.copyOf(timesMs);
    targets = List.copyOf(targets);
  }

  /** Checks a request. What is wrong with it as a whole fails it. */
  static WatchPlan of(WatchTimestampRequest request, CallScope scope) {
    QueryChecks.requireSome(request.getQueriesList(), "queries");
    IsolationLevel isolation =
        Protos.isolation(request.getIsolationLevel(), request.getIsolationLevelValue());
    long progressNanos = progressNanos(request);
    List<Long> timesMs = timesMs(request, scope.serverTimeMs());
    CallLogs logs = new CallLogs(scope.source(request.getSource()));
    requireWithinLimit(request.getQueriesList(), logs, scope);
    List<WatchTarget> targets = new ArrayList<>();
    for (int i = 0; i < timesMs.size(); i++) {
      addTargets(request.getQueries(i), i, timesMs.get(i), logs, targets);
    }
    return new WatchPlan(logs.source(), isolation, timesMs, targets, progressNanos);
  }

  private static long progressNanos(WatchTimestampRequest request) {
    if (!request.hasProgressInterval()) {
      return 0;
    }
    Duration interval = request.getProgressInterval();
    if (!Durations.isValid(interval) || interval.getSeconds() < 1) {
      String shown = interval.getSeconds() + " s and " + interval.getNanos() + " ns";
      throw BadRequests.invalid(
          FieldPath.of("progress_interval"), shown, shown + "; at least 1 s, or leave it out");
    }
    long seconds = Math.min(MAX_PROGRESS_SECONDS, interval.getSeconds());
    return TimeUnit.SECONDS.toNanos(seconds) + interval.getNanos();
  }

  private static List<Long> timesMs(WatchTimestampRequest request, long serverTimeMs) {
    TimePoints times = new TimePoints(serverTimeMs, request.getAllowUnusualTime());
    List<Long> timesMs = new ArrayList<>(request.getQueriesCount());
    for (int i = 0; i < request.getQueriesCount(); i++) {
      WatchQuery query = request.getQueries(i);
      FieldPath field = FieldPath.of("queries", i);
      QueryChecks.requireTopic(query.getTopic(), field);
      QueryChecks.requirePartitions(query.getPartitionsList(), field);
      timesMs.add(times.epochMs(query.getTime(), Rounding.UP, field.child("time")));
    }
    return timesMs;
  }

  /** Before any work: a call that is refused must not cost what it asked for. */
  private static void requireWithinLimit(List<WatchQuery> queries, CallLogs logs, CallScope scope) {
    PartitionBudget budget = new PartitionBudget(scope.limits().partitions(), "partitions");
    for (int i = 0; i < queries.size(); i++) {
      WatchQuery query = queries.get(i);
      budget.take(
          logs.count(query.getTopic(), query.getPartitionsList()), FieldPath.of("queries", i));
    }
    scope.listener().onPartitions(scope.rpc(), budget.taken());
  }

  private static void addTargets(
      WatchQuery query, int index, long timeMs, CallLogs logs, List<WatchTarget> targets) {
    CallLogs.Selection selection =
        logs.select(
            query.getTopic(),
            query.getPartitionsList(),
            query.hasExpectPartitionCount()
                ? Optional.of(query.getExpectPartitionCount())
                : Optional.empty());
    Optional<TopicInfo> topic = topic(query.getTopic(), logs);
    Target target =
        new Target(
            PositionKind.POSITION_KIND_AT_OR_AFTER, new Position.AtOrAfter(timeMs), timeMs, true);
    for (int partition : selection.partitions()) {
      targets.add(
          new WatchTarget(
              targets.size(),
              index,
              new TopicPartition(query.getTopic(), partition),
              target,
              topic));
    }
  }

  private static Optional<TopicInfo> topic(String name, CallLogs logs) {
    try {
      return Optional.of(logs.topic(name));
    } catch (WhenceException e) {
      return Optional.empty(); // Each partition is going to say so itself.
    }
  }
}
