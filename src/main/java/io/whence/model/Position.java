package io.whence.model;

/** A place in a log, by time or by name. Times are epoch milliseconds. */
public sealed interface Position {
  /** Returns whether brokers of Kafka answer questions for this kind of position. */
  default boolean isKnownToBrokers() {
    return !(this instanceof AtOrBefore) && !(this instanceof AllAfter);
  }

  /** The visible record with the lowest offset whose timestamp is at or after the target. */
  record AtOrAfter(long targetTimestampMs) implements Position {}

  /** The visible record with the highest offset whose timestamp is at or before the target. */
  record AtOrBefore(long targetTimestampMs) implements Position {}

  /** The lowest offset such that every visible record from it on is at or after the target. */
  record AllAfter(long targetTimestampMs) implements Position {}

  /** The log start offset. */
  record Earliest() implements Position {}

  /** The end of the isolation level. */
  record Latest() implements Position {}

  /** The visible record with the largest timestamp; the lowest offset on ties. */
  record MaxTimestamp() implements Position {}
}
