package io.whence.ops;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * The meters of one method. Each is looked for in the registry once: after that, counting takes no
 * lock and leaves no garbage. Thread safety: thread-safe.
 */
final class RpcMeters {
  private final MeterRegistry registry;
  private final String rpc;
  private final DistributionSummary partitions;
  private final Counter overloads;
  private final Counter abandoned;
  private final Counter faults;
  private final Map<String, Timer> calls = new ConcurrentHashMap<>();
  private final Map<String, Counter> lookups = new ConcurrentHashMap<>();

  /** By position, then by outcome. */
  private final Map<String, Map<String, Counter>> answers = new ConcurrentHashMap<>();

  /** All that can be told at once, or alerts on growth would miss the first time. */
  RpcMeters(MeterRegistry registry, String rpc) {
    this.registry = registry;
    this.rpc = rpc;
    partitions = CallMetric.PARTITIONS_PER_CALL.summary(registry, rpc);
    overloads = CallMetric.OVERLOADS.counter(registry, rpc);
    abandoned = CallMetric.ABANDONED_CALLS.counter(registry, rpc);
    faults = CallMetric.FAULTS.counter(registry, rpc);
  }

  void ended(String status, long nanos) {
    Timer known = calls.get(status);
    Timer timer = known == null ? calls.computeIfAbsent(status, this::timer) : known;
    timer.record(nanos, TimeUnit.NANOSECONDS);
  }

  private Timer timer(String status) {
    return CallMetric.CALLS.timer(registry, rpc, status);
  }

  void answers(String position, String outcome, long count) {
    Map<String, Counter> known = answers.get(position);
    Map<String, Counter> byOutcome =
        known == null
            ? answers.computeIfAbsent(position, unused -> new ConcurrentHashMap<>())
            : known;
    Counter counter = byOutcome.get(outcome);
    if (counter == null) {
      counter =
          byOutcome.computeIfAbsent(
              outcome, unused -> CallMetric.ANSWERS.counter(registry, rpc, position, outcome));
    }
    counter.increment((double) count);
  }

  void lookups(String path, long count) {
    Counter known = lookups.get(path);
    Counter counter = known == null ? lookups.computeIfAbsent(path, this::lookups) : known;
    counter.increment((double) count);
  }

  private Counter lookups(String path) {
    return CallMetric.LOOKUPS.counter(registry, rpc, path);
  }

  void partitions(int count) {
    partitions.record(count);
  }

  void overload() {
    overloads.increment();
  }

  void abandoned() {
    abandoned.increment();
  }

  void fault() {
    faults.increment();
  }
}
