package io.whence.grpc;

import java.time.Instant;
import java.util.Optional;

/** Recognises numbers that are given as epoch milliseconds and look like something else. */
final class EpochUnits {
  /** Below: seconds. As milliseconds, this is March 1973. */
  private static final long MIN_MS = 100_000_000_000L;

  /** From here on: microseconds. As milliseconds, this is the year 5138. */
  private static final long MIN_MICROS = 100_000_000_000_000L;

  /** From here on: nanoseconds or ticks. As microseconds, this is the year 5138. */
  private static final long MIN_NANOS = 100_000_000_000_000_000L;

  /** 1970 in .NET's ticks of 100 ns since the year 1. */
  private static final long TICKS_OF_1970 = 621_355_968_000_000_000L;

  /** The year 2219 in ticks; as nanoseconds, 1992. */
  private static final long MAX_TICKS = 700_000_000_000_000_000L;

  private EpochUnits() {}

  /** Returns what is odd about the value, for people; nothing if it looks like milliseconds. */
  static Optional<String> problem(long value) {
    if (value < 0) {
      return Optional.of(negative(value));
    }
    if (value == 0) {
      return Optional.of("0 is the start of 1970; to start at the log start, ask for earliest");
    }
    if (value < MIN_MS) {
      return Optional.of(
          looksLike(value, "seconds", Instant.ofEpochSecond(value)) + "; multiply it by 1000");
    }
    if (value < MIN_MICROS) {
      return Optional.empty();
    }
    return Optional.of(tooLarge(value));
  }

  private static String tooLarge(long value) {
    if (value < MIN_NANOS) {
      return looksLike(value, "microseconds", micros(value)) + "; divide it by 1000";
    }
    if (value >= TICKS_OF_1970 && value < MAX_TICKS) {
      return looksLike(value, "ticks of 100 ns since the year 1", ticks(value))
          + ", as nanoseconds "
          + nanos(value);
    }
    return looksLike(value, "nanoseconds", nanos(value)) + "; divide it by 1000000";
  }

  private static String looksLike(long value, String unit, Instant meaning) {
    return value
        + " looks like "
        + unit
        + ": as milliseconds it is "
        + Instant.ofEpochMilli(value)
        + ", as "
        + unit
        + " "
        + meaning;
  }

  private static String negative(long value) {
    if (value >= -3) {
      String[] names = {"latest", "earliest", "max_timestamp"};
      return value
          + " is negative; for Kafka's special value, use the position "
          + names[(int) -value - 1];
    }
    return value + " is negative: as milliseconds it is " + Instant.ofEpochMilli(value);
  }

  private static Instant micros(long value) {
    return Instant.ofEpochSecond(value / 1_000_000, value % 1_000_000 * 1000);
  }

  private static Instant nanos(long value) {
    return Instant.ofEpochSecond(value / 1_000_000_000, value % 1_000_000_000);
  }

  private static Instant ticks(long value) {
    long since1970 = value - TICKS_OF_1970;
    return Instant.ofEpochSecond(since1970 / 10_000_000, since1970 % 10_000_000 * 100);
  }
}
