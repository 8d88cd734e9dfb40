package io.whence.ops;

import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.function.IntSupplier;

/** The metrics of the services; docs/metrics.md lists them. Thread safety: thread-safe. */
@Singleton
public class CallMetrics {
  private static final String OVERLOADS = "whence.overloads";
  private static final String ABANDONED = "whence.abandoned.calls";
  private static final String FAULTS = "whence.faults";
  private static final String COMMITS = "whence.commits";
  private static final List<String> RPCS =
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
  private static final List<String> COMMIT_RESULTS =
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

  private final MeterRegistry registry;

  CallMetrics(MeterRegistry registry) {
    this.registry = registry;
    // From the start on, or alerts on growth would miss the first time.
    for (String rpc : RPCS) {
      for (String counter : List.of(OVERLOADS, ABANDONED, FAULTS)) {
        registry.counter(counter, "rpc", rpc);
      }
    }
    COMMIT_RESULTS.forEach(result -> registry.counter(COMMITS, "result", result));
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
    registry
        .counter("whence.answers", "rpc", rpc, "position", position, "outcome", outcome)
        .increment((double) count);
  }

  /** Notes how many partitions a call asked about. */
  public void partitions(String rpc, int count) {
    DistributionSummary.builder("whence.partitions.per.call")
        .description("Partitions that a call asked about")
        .tag("rpc", rpc)
        .register(registry)
        .record(count);
  }

  /**
   * Counts commits.
   *
   * @param result what they came to
   * @param count how many
   */
  public void commits(String result, int count) {
    registry.counter(COMMITS, "result", result).increment(count);
  }

  /** Counts a call that was turned away. */
  public void overload(String rpc) {
    registry.counter(OVERLOADS, "rpc", rpc).increment();
  }

  /** Counts a call that was given up before it was answered. */
  public void abandoned(String rpc) {
    registry.counter(ABANDONED, "rpc", rpc).increment();
  }

  /** Counts a fault of the server. */
  public void fault(String rpc) {
    registry.counter(FAULTS, "rpc", rpc).increment();
  }

  /**
   * Shows the state of a pool that answers calls.
   *
   * @param lane which calls these are
   */
  public void watchWorkers(
      String lane, IntSupplier queueDepth, IntSupplier busy, IntSupplier callsInFlight) {
    Tags tags = Tags.of("lane", lane);
    gauge("whence.workers.queue.depth", "Calls that wait for a worker", tags, queueDepth);
    gauge("whence.workers.busy", "Workers that answer a call", tags, busy);
    gauge("whence.calls.in.flight", "Calls that wait or are in work", tags, callsInFlight);
  }

  /** Shows how many streams of requests there are. */
  public void watchStreams(IntSupplier streams) {
    gauge("whence.streams", "StreamResolveTimestamp calls", Tags.empty(), streams);
  }

  /** Shows the state of the watches. */
  public void watchWatches(IntSupplier watches, IntSupplier partitions) {
    gauge("whence.watches", "WatchTimestamp calls", Tags.empty(), watches);
    gauge("whence.watched.partitions", "Partitions that they watch", Tags.empty(), partitions);
  }

  private void gauge(String name, String description, Tags tags, IntSupplier value) {
    Gauge.builder(name, value::getAsInt)
        .tags(tags)
        .description(description)
        .strongReference(true)
        .register(registry);
  }
}
