package io.whence.grpc;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts the calls that wait or are in work, and says when these are too many: of all, of a lane,
 * of a connection. No lane may take all that there is room for, or the other one starved. Thread
 * safety: thread-safe.
 */
final class CallAdmission {
  /** What clients are told of a server that takes no more. */
  static final String FULL = "more calls are waiting than this server takes";

  /** What clients are told whose deadline would pass before a worker comes to their call. */
  static final String TOO_LATE = "so many calls wait that the deadline would pass";

  private final CallLimits limits;
  private final AtomicInteger lookups = new AtomicInteger();
  private final AtomicInteger writes = new AtomicInteger();

  CallAdmission(CallLimits limits) {
    this.limits = limits;
  }

  /** Counts a call; returns why there is no room for it, if so. It is to leave in either case. */
  Optional<String> enter(CallLane lane, Connection connection) {
    int ofConnection = connection.callsInFlight().incrementAndGet();
    int ofLane = count(lane).incrementAndGet();
    if (ofConnection > limits.callsInFlightPerConnection()) {
      return Optional.of(connectionIsFull());
    }
    return ofLane > limits.callsInFlightPerLane() || callsInFlight() > limits.callsInFlight()
        ? Optional.of(FULL)
        : Optional.empty();
  }

  /** Counts a call no longer. */
  void leave(CallLane lane, Connection connection) {
    connection.callsInFlight().decrementAndGet();
    count(lane).decrementAndGet();
  }

  /**
   * Counts an open stream, as a call of its connection alone: it may be idle for long. Returns why
   * there is no room for it, if so. It is to leave in either case.
   */
  Optional<String> enterStream(Connection connection) {
    return connection.callsInFlight().incrementAndGet() > limits.callsInFlightPerConnection()
        ? Optional.of(connectionIsFull())
        : Optional.empty();
  }

  /** Counts a stream no longer. */
  void leaveStream(Connection connection) {
    connection.callsInFlight().decrementAndGet();
  }

  private String connectionIsFull() {
    return "this connection has "
        + limits.callsInFlightPerConnection()
        + " calls in flight, and may not have more";
  }

  int callsInFlight() {
    return lookups.get() + writes.get();
  }

  int callsInFlight(CallLane lane) {
    return count(lane).get();
  }

  private AtomicInteger count(CallLane lane) {
    return lane == CallLane.WRITES ? writes : lookups;
  }
}
