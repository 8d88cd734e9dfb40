package io.whence.ops;

import static java.util.stream.Collectors.toUnmodifiableMap;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;

/** The metrics of the services; docs/metrics.md lists them. Thread safety: thread-safe. */
@Singleton
public class CallMetrics {
  /** Methods that are not ours, or not there: clients could name any. */
  static final String OTHER = "other";

  static final List<String> RPCS =
      List.of(
          "ResolveTimestamp",
          "StreamResolveTimestamp",
          "WatchTimestamp",
          "ResolveWindow",
          "ResolveOffset",
          "CreateTopic",
          "DeleteTopic",
          "ListTopics",
          "DescribeTopic",
          "Append",
          "Read",
          "TrimLog",
          "CommitOffset",
          "FetchOffset",
          "ListGroups",
          "DeleteOffset",
          "DeleteGroup",
          "GetGroupLag",
          "PlanReset",
          "ApplyReset");

  /** What commits usually come to; other reasons appear when they happen. */
  static final List<String> COMMIT_RESULTS =
      List.of(
          "committed",
          "unchanged",
          "not_applied",
          "replayed",
          "regression",
          "conflict",
          "fenced",
          "offset_out_of_range",
          "metadata_too_large",
          "stale_topic",
          "unknown_topic",
          "unknown_partition",
          "storage_error",
          "storage_full");

  /** What appends usually come to; other reasons appear when they happen. */
  static final List<String> APPEND_RESULTS =
      List.of(
          "appended",
          "unknown_topic",
          "unknown_partition",
          "internal_topic",
          "invalid_timestamp",
          "record_too_large",
          "draining",
          "storage_error",
          "storage_full");

  private final MeterRegistry registry;
  private final Map<String, RpcMeters> byRpc;
  private final RpcMeters other;
  private final Map<String, Counter> commits = new ConcurrentHashMap<>();
  private final Map<String, Counter> appends = new ConcurrentHashMap<>();

  CallMetrics(MeterRegistry registry) {
    this.registry = registry;
    // From the start on, or alerts on growth would miss the first time.
    byRpc =
        RPCS.stream().collect(toUnmodifiableMap(rpc -> rpc, rpc -> new RpcMeters(registry, rpc)));
    other = new RpcMeters(registry, OTHER);
    COMMIT_RESULTS.forEach(result -> commits.put(result, commitCounter(result)));
    APPEND_RESULTS.forEach(result -> appends.put(result, appendCounter(result)));
  }

  private RpcMeters of(String rpc) {
    return byRpc.getOrDefault(rpc, other);
  }

  private Counter commitCounter(String result) {
    return CallMetric.COMMITS.counter(registry, result);
  }

  private Counter appendCounter(String result) {
    return CallMetric.APPENDS.counter(registry, result);
  }

  /**
   * Notes the end of a call.
   *
   * @param rpc the name of the method
   * @param status what its client saw
   * @param nanos how long it took
   */
  public void ended(String rpc, String status, long nanos) {
    of(rpc).ended(status, nanos);
  }

  /**
   * Counts answers.
   *
   * @param rpc the name of the method
   * @param position the kind of position; {@code none} where the method has none
   * @param outcome what they came to
   * @param count how many
   */
  public void answers(String rpc, String position, String outcome, long count) {
    of(rpc).answers(position, outcome, count);
  }

  /**
   * Counts answers by where they came from.
   *
   * @param rpc the name of the method
   * @param path where they came from
   * @param count how many
   */
  public void lookups(String rpc, String path, long count) {
    of(rpc).lookups(path, count);
  }

  /** Notes how many partitions a call asked about. */
  public void partitions(String rpc, int count) {
    of(rpc).partitions(count);
  }

  /**
   * Counts commits.
   *
   * @param result what they came to
   * @param count how many
   */
  public void commits(String result, int count) {
    commits.computeIfAbsent(result, this::commitCounter).increment(count);
  }

  /**
   * Counts entries of appends.
   *
   * @param result what they came to
   * @param count how many
   */
  public void appends(String result, int count) {
    appends.computeIfAbsent(result, this::appendCounter).increment(count);
  }

  /** Counts a call that was turned away. */
  public void overload(String rpc) {
    of(rpc).overload();
  }

  /** Counts a call that was given up before it was answered. */
  public void abandoned(String rpc) {
    of(rpc).abandoned();
  }

  /** Counts a fault of the server. */
  public void fault(String rpc) {
    of(rpc).fault();
  }

  /**
   * Shows the state of a pool that answers calls.
   *
   * @param lane which calls these are
   */
  public void watchWorkers(
      String lane, IntSupplier queueDepth, IntSupplier busy, IntSupplier callsInFlight) {
    CallMetric.WORKERS_QUEUE_DEPTH.gauge(registry, queueDepth::getAsInt, lane);
    CallMetric.WORKERS_BUSY.gauge(registry, busy::getAsInt, lane);
    CallMetric.CALLS_IN_FLIGHT.gauge(registry, callsInFlight::getAsInt, lane);
  }

  /** Shows how many streams of requests there are. */
  public void watchStreams(IntSupplier streams) {
    CallMetric.STREAMS.gauge(registry, streams::getAsInt);
  }

  /** Shows the state of the watches. */
  public void watchWatches(IntSupplier watches, IntSupplier partitions) {
    CallMetric.WATCHES.gauge(registry, watches::getAsInt);
    CallMetric.WATCHED_PARTITIONS.gauge(registry, partitions::getAsInt);
  }
}
