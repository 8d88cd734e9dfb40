package io.whence.grpc;

import io.whence.v1.ResolveTimestampRequest;
import io.whence.v1.TimestampQuery;
import java.util.Arrays;
import java.util.List;

/**
 * The queries of one ResolveTimestamp request, checked one after the other before any of them is
 * answered. Thread safety: single-writer.
 */
final class TimestampQuestions {
  private final List<TimestampQuery> queries;
  private final TimePoints times;
  private final boolean localOnly;
  private final long maxStalenessMs;
  private Target[] targets = new Target[1];
  private int checked;

  TimestampQuestions(ResolveTimestampRequest request, long serverTimeMs) {
    QueryChecks.requireSome(request.getQueriesList(), "queries");
    queries = request.getQueriesList();
    times = new TimePoints(serverTimeMs, request.getAllowUnusualTime());
    localOnly = request.getLocalOnly();
    maxStalenessMs =
        request.hasMaxStalenessMs()
            ? QueryChecks.requireStaleness(request.getMaxStalenessMs())
            : Long.MAX_VALUE;
  }

  /** Returns how old an answer may be, in milliseconds; the largest long for any age. */
  long maxStalenessMs() {
    return maxStalenessMs;
  }

  /** Returns whether copies of logs are good enough as they are. */
  boolean isLocalOnly() {
    return localOnly;
  }

  /** Returns how many queries there are. */
  int count() {
    return queries.size();
  }

  /** Returns whether all are checked. */
  boolean areChecked() {
    return checked == queries.size();
  }

  /**
   * Checks the next query, or refuses it.
   *
   * @return how many partitions it names
   */
  int checkNext() {
    TimestampQuery query = queries.get(checked);
    FieldPath field = FieldPath.of("queries", checked);
    QueryChecks.requireTopic(query.getTopic(), field);
    requirePartitions(query, field);
    if (checked == targets.length) {
      targets = Arrays.copyOf(targets, Math.min(2 * checked, queries.size()));
    }
    targets[checked] = Target.of(query.getPosition(), times, field.child("position"));
    checked++;
    return query.getPartitionsCount();
  }

  /** Returns a query. */
  TimestampQuery query(int index) {
    return queries.get(index);
  }

  /** Returns the target of a query that is checked. */
  Target target(int index) {
    return targets[index];
  }

  /** Not by the list, which makes an object of each number. */
  private static void requirePartitions(TimestampQuery query, FieldPath field) {
    for (int i = 0; i < query.getPartitionsCount(); i++) {
      if (query.getPartitions(i) < 0) {
        QueryChecks.requirePartition(query.getPartitions(i), field.child("partitions", i));
      }
    }
  }
}
