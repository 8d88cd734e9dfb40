package io.whence.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.List;
import java.util.TreeMap;

/**
 * Those who want to be told when a log has records of a time. Where nobody does, a new end costs
 * one read of a volatile field; where somebody does, one look at the newest segments more. Thread
 * safety: thread-safe.
 *
 * <p>No wake-up is lost: an end is published before {@link #lowestTargetMs} is read, and a target
 * is entered before its owner reads the end, so that one of the two sees the other.
 */
final class LogWatchers {
  /** Nobody wants to be told. No target is as high: to be told too often does no harm. */
  private static final long NOBODY = Long.MAX_VALUE;

  private final Object lock = new Object();

  /** Held for a few steps in memory only, as the thread that publishes takes it. */
  @GuardedBy("lock")
  private final TreeMap<Target, Runnable> byTarget = new TreeMap<>();

  @GuardedBy("lock")
  private long added;

  private volatile long lowestTargetMs = NOBODY;

  /** Up to where all were told. Two threads that tell at once may set it back; they tell twice. */
  private volatile long toldOffset;

  /**
   * Adds somebody.
   *
   * @param targetMs is told of records at or after this time
   * @param onRecords is run by the thread that published; must return at once
   */
  LogWatch add(long targetMs, Runnable onRecords) {
    synchronized (lock) {
      Target target = new Target(Math.min(targetMs, NOBODY - 1), added++);
      byTarget.put(target, onRecords);
      lowestTargetMs = byTarget.firstKey().targetMs();
      return () -> remove(target);
    }
  }

  private void remove(Target target) {
    synchronized (lock) {
      byTarget.remove(target);
      lowestTargetMs = byTarget.isEmpty() ? NOBODY : byTarget.firstKey().targetMs();
    }
  }

  /** Tells those whose time may have come. Not under the lock of the log. */
  void tell(LogSnapshot log) {
    long lowest = lowestTargetMs;
    if (lowest == NOBODY) {
      return;
    }
    long fromOffset = toldOffset;
    long endOffset = log.highWatermark();
    if (endOffset > fromOffset) {
      long largestMs = log.largestTimestampMs(fromOffset);
      toldOffset = endOffset;
      if (largestMs >= lowest) {
        reachedBy(largestMs).forEach(Runnable::run);
      }
    }
  }

  /**
   * Forgets that all were told of what lies from an offset on: it was cut off, or only now some see
   * it.
   */
  void forget(long fromOffset) {
    toldOffset = Math.min(toldOffset, fromOffset);
  }

  /** Tells everybody: the log is no more, or more of it is known. */
  void tellAll() {
    if (lowestTargetMs != NOBODY) {
      reachedBy(NOBODY - 1).forEach(Runnable::run);
    }
  }

  private List<Runnable> reachedBy(long largestMs) {
    synchronized (lock) {
      return List.copyOf(byTarget.headMap(new Target(largestMs, Long.MAX_VALUE), true).values());
    }
  }

  /** Returns how many want to be told. */
  int count() {
    synchronized (lock) {
      return byTarget.size();
    }
  }

  /** A target; several may be equal, so they are told apart by their number. */
  private record Target(long targetMs, long number) implements Comparable<Target> {
    @Override
    public int compareTo(Target other) {
      int byTime = Long.compare(targetMs, other.targetMs);
      return byTime != 0 ? byTime : Long.compare(number, other.number);
    }
  }
}
