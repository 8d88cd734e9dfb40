package io.whence.grpc;

import io.whence.v1.Outcome;
import io.whence.v1.PositionKind;

/**
 * Counts the answers of one call, so that metrics are touched once. Thread safety: single-writer.
 */
final class AnswerTally {
  private static final int OUTCOMES = Outcome.values().length;

  private final long[] counts = new long[PositionKind.values().length * OUTCOMES];

  /** Counts one answer. */
  void count(PositionKind position, Outcome outcome) {
    counts[position.ordinal() * OUTCOMES + outcome.ordinal()]++;
  }

  /** Tells the listener. */
  void report(CallScope scope, int partitions) {
    scope.listener().onPartitions(scope.rpc(), partitions);
    for (PositionKind position : PositionKind.values()) {
      for (Outcome outcome : Outcome.values()) {
        long count = counts[position.ordinal() * OUTCOMES + outcome.ordinal()];
        if (count > 0) {
          scope.listener().onAnswers(scope.rpc(), position, outcome, count);
        }
      }
    }
  }
}
