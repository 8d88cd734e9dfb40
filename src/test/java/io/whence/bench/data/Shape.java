package io.whence.bench.data;

import java.util.OptionalLong;
import java.util.Random;

/**
 * When the records of a partition were made, by number. Each time can be told without those before,
 * and so can the right answer to a question. Thread safety: immutable.
 */
public enum Shape {
  /** One record per millisecond. */
  EVERY_MS("one record per ms") {
    @Override
    long ms(long record) {
      return record;
    }
  },
  /** One record per millisecond on average: 0 to 2 ms after the one before, at random. */
  ABOUT_EVERY_MS("one record per ms on average, 0-2 ms apart") {
    @Override
    long ms(long record) {
      return sum(GAPS_0_TO_2, record);
    }
  },
  /** One record every 1 to 20 ms, at random. */
  EVERY_1_TO_20_MS("one record every 1-20 ms") {
    @Override
    long ms(long record) {
      return sum(GAPS_1_TO_20, record);
    }
  },
  /** Ten records per millisecond. */
  TEN_PER_MS("ten records per ms") {
    @Override
    long ms(long record) {
      return record / 10;
    }
  },
  /** One record per millisecond, each up to 5 s late, at random. */
  DISORDERED("one record per ms, 5 s of disorder") {
    @Override
    long ms(long record) {
      return record + LATENESS_MS - Math.floorMod(mix(record), LATENESS_MS);
    }

    @Override
    OptionalLong first(long ms, long count) {
      // No record before this one is late enough to look younger.
      for (long record = Math.max(0, ms - LATENESS_MS); record < count; record++) {
        if (ms(record) >= ms) {
          return OptionalLong.of(record);
        }
      }
      return OptionalLong.empty();
    }
  };

  /** Record 0 of partition 0; all times are after it. 2024-01-01. */
  public static final long BASE_MS = 1_704_067_200_000L;

  private static final int PERIOD = 1 << 16;
  private static final long LATENESS_MS = 5000;
  private static final long[] GAPS_0_TO_2 = gapSums(0, 2);
  private static final long[] GAPS_1_TO_20 = gapSums(1, 20);

  private final String title;

  Shape(String title) {
    this.title = title;
  }

  private static long[] gapSums(int leastMs, int mostMs) {
    Random random = new Random(20);
    long[] sums = new long[PERIOD + 1];
    for (int i = 0; i < PERIOD; i++) {
      sums[i + 1] = sums[i] + leastMs + random.nextInt(mostMs - leastMs + 1);
    }
    return sums;
  }

  private static long sum(long[] sums, long record) {
    return record / PERIOD * sums[PERIOD] + sums[(int) (record % PERIOD)];
  }

  /** Mixes the bits of a number, so that numbers in a row look like random ones. */
  private static long mix(long number) {
    long z = (number + 1) * 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }

  /** Returns the time of a record after {@link #BASE_MS}. */
  abstract long ms(long record);

  /** Finds the first record at or after a time, in the order of the log. */
  OptionalLong first(long ms, long count) {
    long low = 0;
    long high = count;
    while (low < high) {
      long middle = (low + high) >>> 1;
      if (ms(middle) < ms) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low < count ? OptionalLong.of(low) : OptionalLong.empty();
  }

  /** Returns the timestamp of a record, counted from 0, in epoch milliseconds. */
  public long timestampMs(long record) {
    return BASE_MS + ms(record);
  }

  /**
   * Finds the first record at or after a time.
   *
   * @param timestampMs the time, in epoch milliseconds
   * @param count how many records there are
   */
  public OptionalLong firstAtOrAfter(long timestampMs, long count) {
    return first(timestampMs - BASE_MS, count);
  }

  /** Returns what it is, for tables. */
  public String title() {
    return title;
  }
}
