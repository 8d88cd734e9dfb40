package io.whence.log;

import java.util.OptionalLong;

/**
 * The timestamps of the data records of a segment or a log. Thread safety: immutable.
 *
 * @param recordCount how many data records there are
 * @param withoutTimestampCount how many of them have no timestamp
 * @param minMs the smallest timestamp; above {@code maxMs} when no record has one
 * @param maxMs the largest timestamp
 * @param maxDisorderMs the furthest that a record lies before an earlier one of its segment
 */
public record TimestampHealth(
    long recordCount, long withoutTimestampCount, long minMs, long maxMs, long maxDisorderMs) {
  /** No records. */
  public static final TimestampHealth NONE =
      new TimestampHealth(0, 0, Long.MAX_VALUE, Long.MIN_VALUE, 0);

  /** Returns the smallest timestamp, if any record has one. */
  public OptionalLong minTimestampMs() {
    return minMs <= maxMs ? OptionalLong.of(minMs) : OptionalLong.empty();
  }

  /** Returns the largest timestamp, if any record has one. */
  public OptionalLong maxTimestampMs() {
    return minMs <= maxMs ? OptionalLong.of(maxMs) : OptionalLong.empty();
  }

  /** Returns both together. */
  public TimestampHealth plus(TimestampHealth other) {
    return new TimestampHealth(
        recordCount + other.recordCount,
        withoutTimestampCount + other.withoutTimestampCount,
        Math.min(minMs, other.minMs),
        Math.max(maxMs, other.maxMs),
        Math.max(maxDisorderMs, other.maxDisorderMs));
  }
}
