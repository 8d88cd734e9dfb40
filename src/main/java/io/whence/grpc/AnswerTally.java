package io.whence.grpc;

import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import io.whence.v1.Outcome;
import io.whence.v1.PositionKind;
import java.util.Arrays;
import java.util.Locale;

/**
 * Counts the answers of one call, so that metrics are touched once and counting leaves no garbage.
 * Thread safety: single-writer.
 */
final class AnswerTally {
  /** By number. */
  private static final String[] POSITIONS = labels(PositionKind.getDescriptor(), "POSITION_KIND_");

  /** By number. */
  private static final String[] OUTCOMES = labels(Outcome.getDescriptor(), "OUTCOME_");

  private final long[] counts = new long[POSITIONS.length * OUTCOMES.length];

  /** Counts one answer. */
  void count(PositionKind position, Outcome outcome) {
    counts[position.getNumber() * OUTCOMES.length + outcome.getNumber()]++;
  }

  /** Tells the listener. */
  void report(CallScope scope, int partitions) {
    scope.listener().onPartitions(scope.rpc(), partitions);
    for (int i = 0; i < counts.length; i++) {
      if (counts[i] > 0) {
        String position = POSITIONS[i / OUTCOMES.length];
        String outcome = OUTCOMES[i % OUTCOMES.length];
        scope.listener().onAnswers(scope.rpc(), position, outcome, counts[i]);
      }
    }
  }

  /** Forgets what was counted. */
  void clear() {
    Arrays.fill(counts, 0);
  }

  private static String[] labels(EnumDescriptor type, String prefix) {
    String[] labels = new String[type.getValues().size()];
    for (EnumValueDescriptor value : type.getValues()) {
      labels[value.getNumber()] =
          value.getNumber() == 0
              ? "none"
              : value.getName().substring(prefix.length()).toLowerCase(Locale.ROOT);
    }
    return labels;
  }
}
