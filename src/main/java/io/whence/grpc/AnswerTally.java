package io.whence.grpc;

import io.whence.v1.Outcome;
import io.whence.v1.PositionKind;
import java.util.EnumMap;
import java.util.Locale;

/**
 * Counts the answers of one call, so that metrics are touched once. Thread safety: single-writer.
 */
final class AnswerTally {
  private final EnumMap<PositionKind, EnumMap<Outcome, Long>> counts =
      new EnumMap<>(PositionKind.class);

  /** Counts one answer. */
  void count(PositionKind position, Outcome outcome) {
    counts
        .computeIfAbsent(position, kind -> new EnumMap<>(Outcome.class))
        .merge(outcome, 1L, Long::sum);
  }

  /** Tells the listener. */
  void report(CallScope scope, int partitions) {
    scope.listener().onPartitions(scope.rpc(), partitions);
    counts.forEach(
        (position, byOutcome) ->
            byOutcome.forEach(
                (outcome, count) ->
                    scope
                        .listener()
                        .onAnswers(scope.rpc(), label(position), label(outcome), count)));
  }

  private static String label(PositionKind position) {
    return position == PositionKind.POSITION_KIND_UNSPECIFIED
        ? "none"
        : label(position.name(), "POSITION_KIND_");
  }

  private static String label(Outcome outcome) {
    return label(outcome.name(), "OUTCOME_");
  }

  private static String label(String name, String prefix) {
    return name.substring(prefix.length()).toLowerCase(Locale.ROOT);
  }
}
