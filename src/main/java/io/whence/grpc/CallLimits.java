package io.whence.grpc;

import java.time.Duration;

/**
 * What one call may ask for. Thread safety: immutable.
 *
 * @param partitions how many partitions a call may ask about, in all its queries together
 * @param offsets how many offsets a ResolveOffset call may ask about
 * @param appendRecords how many records an Append call may carry
 * @param callsInFlight how many calls may be waiting or in work at one time
 * @param callsInFlightPerConnection how many of these may be of one connection
 * @param defaultDeadline how long a call without a deadline may take
 */
public record CallLimits(
    int partitions,
    int offsets,
    int appendRecords,
    int callsInFlight,
    int callsInFlightPerConnection,
    Duration defaultDeadline) {
  /** Rejects limits that let nothing through. */
  public CallLimits {
    if (partitions < 1
        || offsets < 1
        || appendRecords < 1
        || callsInFlight < 1
        || callsInFlightPerConnection < 1) {
      throw new IllegalArgumentException("limits of calls must be positive");
    }
    if (defaultDeadline.isNegative() || defaultDeadline.isZero()) {
      throw new IllegalArgumentException("the default deadline must be positive");
    }
  }

  /** Returns how many calls of one lane may be in flight: a quarter is kept for the other one. */
  int callsInFlightPerLane() {
    return Math.max(1, callsInFlight - callsInFlight / 4);
  }
}
