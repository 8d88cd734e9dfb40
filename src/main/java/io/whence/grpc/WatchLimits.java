package io.whence.grpc;

import java.time.Duration;

/**
 * How much the watches of a server may hold. Thread safety: immutable.
 *
 * @param watches how many watches there may be at one time
 * @param partitions how many partitions they may watch together
 * @param stall how long a client may leave events unread before its watch is ended
 */
public record WatchLimits(int watches, int partitions, Duration stall) {
  /** Rejects limits that let nothing through. */
  public WatchLimits {
    if (watches < 1 || partitions < 1) {
      throw new IllegalArgumentException("limits of watches must be positive");
    }
    if (stall.isNegative() || stall.isZero()) {
      throw new IllegalArgumentException("the limit of a stall must be positive");
    }
  }

  /** Returns how many watches one connection may have: a quarter of all. */
  int watchesPerConnection() {
    return Math.max(1, watches / 4);
  }

  /** Returns how many partitions the watches of one connection may watch: a quarter of all. */
  int partitionsPerConnection() {
    return Math.max(1, partitions / 4);
  }
}
