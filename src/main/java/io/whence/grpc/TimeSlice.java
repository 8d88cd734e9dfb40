package io.whence.grpc;

import java.util.function.LongSupplier;

/**
 * How long a piece of work may hold its thread. The clock is read once in {@value #UNITS_PER_LOOK}
 * units of work, as reading it takes as long as a unit. Thread safety: single-writer.
 */
final class TimeSlice {
  private static final int UNITS_PER_LOOK = 64;

  private final LongSupplier nanoClock;
  private final long endNanos;
  private int unitsToLook = UNITS_PER_LOOK;

  /** Begins a slice. */
  TimeSlice(LongSupplier nanoClock, long lengthNanos) {
    this.nanoClock = nanoClock;
    this.endNanos = nanoClock.getAsLong() + lengthNanos;
  }

  /** Counts a unit of work that is about to begin; returns whether it is time to look up. */
  boolean isLookDue() {
    if (--unitsToLook > 0) {
      return false;
    }
    unitsToLook = UNITS_PER_LOOK;
    return true;
  }

  /** Lets the next unit look up: the last one took long. */
  void lookNext() {
    unitsToLook = 1;
  }

  /** Returns whether the time is over. */
  boolean isOver() {
    return nanoClock.getAsLong() - endNanos >= 0;
  }
}
