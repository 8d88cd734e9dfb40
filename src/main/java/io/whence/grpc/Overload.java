package io.whence.grpc;

import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import java.util.concurrent.TimeUnit;

/** Makes the refusals of a server that has enough to do: each says when to try again. */
final class Overload {
  /** The fact of a failure that says when to try again, in milliseconds. */
  static final String RETRY_AFTER_MS = "retry_after_ms";

  private static final long SHORTEST_MS = 100;
  private static final long LONGEST_MS = 10_000;

  private Overload() {}

  /**
   * Refuses a call.
   *
   * @param waitNanos for how long it would have waited; the longer, the later is the next try
   */
  static WhenceException refusal(String message, long waitNanos) {
    long ms = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, TimeUnit.NANOSECONDS.toMillis(waitNanos)));
    return WhenceException.of(
        ErrorReason.OVERLOADED, message + "; retry after " + ms + " ms", RETRY_AFTER_MS, ms);
  }
}
