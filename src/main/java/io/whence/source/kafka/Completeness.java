package io.whence.source.kafka;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Since when a partition is not known any more to have all that the cluster has. Invariant: who has
 * seen that it was not confirmed lately enough either finds it confirmed later, or whoever confirms
 * it is told that it was not. Thread safety: thread-safe.
 */
final class Completeness {
  private final Object lock = new Object();
  private final long maxStalenessMs;

  /** When it was last known to have all; meaningful once caught up. Written under the lock. */
  private volatile long asOfNanos;

  private volatile boolean caughtUp;

  /**
   * Makes that of a partition of which nothing is known.
   *
   * @param maxStaleness for how long what was confirmed counts
   */
  Completeness(Duration maxStaleness) {
    this.maxStalenessMs = maxStaleness.toMillis();
  }

  /** Returns whether it has had all, since the start and since {@link #lost}. */
  boolean isCaughtUp() {
    return caughtUp;
  }

  /** Returns for how many milliseconds the cluster may have gone on without this being seen. */
  long stalenessMs() {
    long now = System.nanoTime(); // First: see confirmed.
    return ageMs(asOfNanos, now);
  }

  long maxStalenessMs() {
    return maxStalenessMs;
  }

  private static long ageMs(long nanos, long now) {
    return Math.max(0, TimeUnit.NANOSECONDS.toMillis(now - nanos));
  }

  /** It has not all, and begins anew. */
  void lost() {
    caughtUp = false;
  }

  /**
   * It has all that the cluster had at a time, whatever was before.
   *
   * @param nanos the time, by {@link System#nanoTime}
   * @return whether that was not known, or for too long
   */
  boolean reached(long nanos) {
    synchronized (lock) {
      boolean isNew = !caughtUp;
      if (isNew) {
        asOfNanos = nanos;
        caughtUp = true;
      }
      return confirmed(nanos) || isNew;
    }
  }

  /**
   * It had all at a time, if it has been caught up; an earlier time than one before changes
   * nothing.
   *
   * @param nanos the time, by {@link System#nanoTime}
   * @return whether it was not confirmed for too long
   */
  boolean confirmed(long nanos) {
    synchronized (lock) {
      long before = asOfNanos;
      if (!caughtUp || nanos - before <= 0) {
        return false;
      }
      asOfNanos = nanos;
      return ageMs(before, System.nanoTime()) > maxStalenessMs; // For who looked before it was set.
    }
  }
}
