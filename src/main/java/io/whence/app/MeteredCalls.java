package io.whence.app;

import io.whence.grpc.CallListener;
import io.whence.ops.CallMetrics;
import io.whence.v1.Outcome;
import io.whence.v1.PositionKind;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/** Turns what the services tell into metrics. Thread safety: thread-safe. */
final class MeteredCalls implements CallListener {
  private final CallMetrics metrics;
  private final Map<PositionKind, String> positions = new EnumMap<>(PositionKind.class);
  private final Map<Outcome, String> outcomes = new EnumMap<>(Outcome.class);

  MeteredCalls(CallMetrics metrics) {
    this.metrics = metrics;
    for (PositionKind kind : PositionKind.values()) {
      positions.put(kind, label(kind.name(), "POSITION_KIND_"));
    }
    positions.put(PositionKind.POSITION_KIND_UNSPECIFIED, "none");
    for (Outcome outcome : Outcome.values()) {
      outcomes.put(outcome, label(outcome.name(), "OUTCOME_"));
    }
  }

  private static String label(String name, String prefix) {
    return name.replace(prefix, "").toLowerCase(Locale.ROOT);
  }

  @Override
  public void onAnswers(String rpc, PositionKind position, Outcome outcome, long count) {
    metrics.answers(
        rpc,
        positions.getOrDefault(position, "none"),
        outcomes.getOrDefault(outcome, "none"),
        count);
  }

  @Override
  public void onPartitions(String rpc, int count) {
    metrics.partitions(rpc, count);
  }

  @Override
  public void onOverload(String rpc) {
    metrics.overload(rpc);
  }

  @Override
  public void onAbandoned(String rpc) {
    metrics.abandoned(rpc);
  }

  @Override
  public void onFault(String rpc) {
    metrics.fault(rpc);
  }
}
