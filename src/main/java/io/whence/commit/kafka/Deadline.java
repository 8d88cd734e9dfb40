package io.whence.commit.kafka;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Until when a piece of work may wait. Thread safety: immutable.
 *
 * @param endNanos by {@link System#nanoTime}
 */
record Deadline(long endNanos) {
  static Deadline in(Duration time) {
    return new Deadline(System.nanoTime() + time.toNanos());
  }

  /** Returns the earlier of this and some time from now. */
  Deadline within(Duration time) {
    Deadline other = in(time);
    return other.endNanos - endNanos < 0 ? other : this;
  }

  boolean isOver() {
    return endNanos - System.nanoTime() <= 0;
  }

  /** Returns what is left, in milliseconds; at least 1, as Kafka's client takes 0 for a mistake. */
  int remainingMs() {
    long left = TimeUnit.NANOSECONDS.toMillis(endNanos - System.nanoTime());
    return (int) Math.max(1, Math.min(Integer.MAX_VALUE, left));
  }

  /** Waits, but not beyond the deadline. */
  void pause(long nanos) {
    LockSupport.parkNanos(Math.max(0, Math.min(nanos, endNanos - System.nanoTime())));
  }
}
