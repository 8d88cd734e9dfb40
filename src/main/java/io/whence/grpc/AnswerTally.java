package io.whence.grpc;

import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import io.whence.v1.Origin;
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

  /** By number. */
  private static final String[] PATHS = labels(Origin.getDescriptor(), "ORIGIN_");

  private final long[] counts = new long[POSITIONS.length * OUTCOMES.length];
  private final long[] lookups = new long[PATHS.length];

  /** Counts one answer that came from nowhere. */
  void failed(PositionKind position) {
    count(position, Outcome.OUTCOME_FAILED, Origin.ORIGIN_UNSPECIFIED);
  }

  /** Counts one answer. */
  void count(PositionKind position, Outcome outcome, Origin origin) {
    lookups[origin.getNumber()]++;
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
    for (int i = 0; i < lookups.length; i++) {
      if (lookups[i] > 0 && i != Origin.ORIGIN_UNSPECIFIED_VALUE) {
        scope.listener().onLookups(scope.rpc(), PATHS[i], lookups[i]);
      }
    }
  }

  /** Forgets what was counted. */
  void clear() {
    Arrays.fill(lookups, 0);
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
