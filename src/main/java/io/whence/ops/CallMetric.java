package io.whence.ops;

import java.util.List;

/** The metrics of calls. Thread safety: immutable. */
enum CallMetric implements Metric {
  CALLS(
      "whence.calls",
      Kind.TIMER,
      "calls that ended, and how long they took; `status` is what the client saw, such "
          + "as `OK` or `NOT_FOUND`; `rpc` is `other` for those of health and reflection and "
          + "for methods that are not there; a stream is one call",
      "rpc",
      "status"),
  ANSWERS(
      "whence.answers",
      Kind.COUNTER,
      "answers given, per partition or offset; `failed` ones, and queries and groups "
          + "that failed as a whole, carry an error",
      "rpc",
      "position",
      "outcome"),
  LOOKUPS(
      "whence.lookups",
      Kind.COUNTER,
      "answers with an offset, by where they came from: `memory`, `log_scan` (records "
          + "were read from the log) or `broker`",
      "rpc",
      "path"),
  PARTITIONS_PER_CALL(
      "whence.partitions.per.call", Kind.SUMMARY, "partitions that a call asked about", "rpc"),
  COMMITS(
      "whence.commits",
      Kind.COUNTER,
      "entries of `CommitOffset`: `committed`, `unchanged`, `not_applied`, `replayed` "
          + "(the first result was given again), or the reason of their refusal in lower case; "
          + "not those of dry runs",
      "result"),
  APPENDS(
      "whence.appends",
      Kind.COUNTER,
      "entries of `Append`: `appended`, or the reason of their refusal in lower case",
      "result"),
  OVERLOADS(
      "whence.overloads",
      Kind.COUNTER,
      "calls turned away because the server or their connection had as many as it may, "
          + "or because they would have waited beyond their deadline",
      "rpc"),
  ABANDONED_CALLS(
      "whence.abandoned.calls",
      Kind.COUNTER,
      "calls that their client gave up, or whose deadline passed, before they were " + "answered",
      "rpc"),
  FAULTS(
      "whence.faults",
      Kind.COUNTER,
      "calls or partitions that failed by a fault of the server; each has an ERROR line "
          + "in the log",
      "rpc"),
  WORKERS_QUEUE_DEPTH(
      "whence.workers.queue.depth",
      Kind.GAUGE,
      "calls that wait for a worker; lane `lookups` or `writes`, each with workers of " + "its own",
      "lane"),
  WORKERS_BUSY(
      "whence.workers.busy",
      Kind.GAUGE,
      "workers that answer a call, without those that wait for a cluster",
      "lane"),
  CALLS_IN_FLIGHT(
      "whence.calls.in.flight",
      Kind.GAUGE,
      "calls that wait or are in work; a lane gets at most three quarters of "
          + "`whence.limits.calls-in-flight`",
      "lane"),
  STREAMS(
      "whence.streams",
      Kind.GAUGE,
      "`StreamResolveTimestamp` calls that are open; each counts among the calls in "
          + "flight of its connection, and not in `whence_calls_in_flight`, where each of its "
          + "requests does"),
  WATCHES(
      "whence.watches",
      Kind.GAUGE,
      "`WatchTimestamp` calls; at most `whence.limits.watches`, of a connection a quarter"),
  WATCHED_PARTITIONS(
      "whence.watched.partitions",
      Kind.GAUGE,
      "partitions that they watch and hold answers of; at most "
          + "`whence.limits.watched-partitions`, of a connection a quarter");

  @SuppressWarnings("ImmutableEnumChecker") // A record of strings whose list never changes.
  private final Spec spec;

  CallMetric(String name, Kind kind, String meaning, String... labels) {
    spec = new Spec(name, kind, meaning, List.of(labels));
  }

  @Override
  public Spec spec() {
    return spec;
  }
}
