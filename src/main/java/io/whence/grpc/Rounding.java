package io.whence.grpc;

import java.time.Instant;

/** How a fraction of a millisecond is rounded, so that an answer stays right. */
enum Rounding {
  /** For "at or after", "all after" and both ends of a window. */
  UP,
  /** For "at or before". */
  DOWN;

  private static final int NANOS_PER_MS = 1_000_000;

  /**
   * Returns the instant in epoch milliseconds.
   *
   * @throws ArithmeticException if it lies outside the range of a long
   */
  long toEpochMs(Instant instant) {
    long floor =
        Math.addExact(
            Math.multiplyExact(instant.getEpochSecond(), 1000L), instant.getNano() / NANOS_PER_MS);
    boolean fraction = instant.getNano() % NANOS_PER_MS != 0;
    return this == UP && fraction ? Math.addExact(floor, 1) : floor;
  }
}
