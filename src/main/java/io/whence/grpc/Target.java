package io.whence.grpc;

import io.whence.model.Position;
import io.whence.v1.PositionKind;

/**
 * A position that a query asks for, its time resolved. Thread safety: immutable.
 *
 * @param kind the kind, as echoed
 * @param position the position
 * @param timestampMs the time in epoch milliseconds; 0 where {@code timed} is not set
 * @param timed whether the position has a time
 */
record Target(PositionKind kind, Position position, long timestampMs, boolean timed) {

  /** Reads a position, or refuses it. */
  static Target of(io.whence.v1.Position position, TimePoints times, FieldPath field) {
    return switch (position.getKindCase()) {
      case AT_OR_AFTER -> {
        long ms = times.epochMs(position.getAtOrAfter(), Rounding.UP, field.child("at_or_after"));
        yield timed(PositionKind.POSITION_KIND_AT_OR_AFTER, new Position.AtOrAfter(ms), ms);
      }
      case AT_OR_BEFORE -> {
        long ms =
            times.epochMs(position.getAtOrBefore(), Rounding.DOWN, field.child("at_or_before"));
        yield timed(PositionKind.POSITION_KIND_AT_OR_BEFORE, new Position.AtOrBefore(ms), ms);
      }
      case ALL_AFTER -> {
        long ms = times.epochMs(position.getAllAfter(), Rounding.UP, field.child("all_after"));
        yield timed(PositionKind.POSITION_KIND_ALL_AFTER, new Position.AllAfter(ms), ms);
      }
      case EARLIEST -> named(PositionKind.POSITION_KIND_EARLIEST, new Position.Earliest());
      case LATEST -> named(PositionKind.POSITION_KIND_LATEST, new Position.Latest());
      case MAX_TIMESTAMP ->
          named(PositionKind.POSITION_KIND_MAX_TIMESTAMP, new Position.MaxTimestamp());
      case KIND_NOT_SET ->
          throw BadRequests.missing(
              field,
              "give one of at_or_after, at_or_before, all_after, earliest, latest and"
                  + " max_timestamp");
    };
  }

  private static Target timed(PositionKind kind, Position position, long ms) {
    return new Target(kind, position, ms, true);
  }

  private static Target named(PositionKind kind, Position position) {
    return new Target(kind, position, 0, false);
  }
}
