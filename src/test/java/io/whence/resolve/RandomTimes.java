package io.whence.resolve;

import java.util.Random;

/** Makes up timestamps as one producer of a log would send them. Thread safety: single-writer. */
final class RandomTimes {
  private static final long[] STARTS = {
    0, 5, 1_000_000, 1_700_000_000_000L, 1L << 40, Long.MAX_VALUE / 2
  };

  private final Random random;
  private final Disorder disorder;
  private final long startMs;
  private final int stepMs;
  private final int untimedPercent;
  private long nowMs;

  private enum Disorder {
    NONE,
    JITTER,
    RANDOM,
    BACKWARD,
    OUTLIERS
  }

  RandomTimes(Random random) {
    this.random = random;
    this.disorder = Disorder.values()[random.nextInt(Disorder.values().length)];
    this.startMs = STARTS[random.nextInt(STARTS.length)];
    this.stepMs = 1 + random.nextInt(random.nextBoolean() ? 3 : 1000);
    this.untimedPercent = random.nextInt(10) < 7 ? 0 : random.nextInt(10) == 0 ? 100 : 20;
    this.nowMs = startMs;
  }

  /** Returns the next timestamp; negative for none. */
  long next() {
    if (random.nextInt(100) < untimedPercent) {
      return random.nextInt(20) == 0 ? -1 - random.nextInt(5) : -1;
    }
    nowMs += random.nextInt(stepMs + 1);
    return switch (disorder) {
      case NONE -> nowMs;
      case JITTER -> Math.max(0, nowMs - random.nextInt(5 * stepMs));
      case RANDOM -> startMs + random.nextInt(20 * stepMs);
      case BACKWARD -> Math.max(0, 2 * startMs - nowMs);
      case OUTLIERS -> random.nextInt(8) == 0 ? outlier() : nowMs;
    };
  }

  /** Returns a time that no record of the log need have. */
  long unrelated() {
    return random.nextBoolean() ? outlier() : nowMs + random.nextInt(100 * stepMs);
  }

  private long outlier() {
    return switch (random.nextInt(7)) {
      case 0 -> 0;
      case 1 -> Long.MAX_VALUE;
      case 2 -> Long.MAX_VALUE - random.nextInt(3);
      case 3 -> nowMs + (1L << 32) + random.nextInt(10);
      case 4 -> Math.max(0, nowMs - (1L << 32) - random.nextInt(10));
      case 5 -> nowMs / 2;
      default -> nowMs;
    };
  }
}
