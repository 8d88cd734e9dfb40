package io.whence.example;

import io.grpc.Deadline;
import io.grpc.StatusRuntimeException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Sends a request again that may be sent again: a commit with a request id. Holds no state. */
final class Retry {
  private static final int ATTEMPTS = 5;
  private static final long LEAST_PAUSE_MS = 10;

  private Retry() {}

  /** Calls at most five times before the deadline, and waits as long as the server says. */
  static <T> T retrying(Deadline deadline, Supplier<T> call) throws InterruptedException {
    for (int attempt = 1; ; attempt++) {
      try {
        return call.get();
      } catch (StatusRuntimeException e) {
        if (attempt == ATTEMPTS || !waitToRetry(Failure.of(e), attempt, deadline)) {
          throw e;
        }
      }
    }
  }

  /** Waits before the next attempt; false if that can't help, or would be too late. */
  static boolean waitToRetry(Failure failure, int attempt, Deadline deadline)
      throws InterruptedException {
    long pauseMs = pauseMs(failure, attempt);
    boolean tooLate = deadline.timeRemaining(TimeUnit.MILLISECONDS) <= pauseMs;
    if (tooLate || !failure.maySucceedLater()) {
      return false;
    }
    Thread.sleep(pauseMs);
    return true;
  }

  /**
   * As long as the server says or a little longer: who was refused together must not come back
   * together.
   */
  static long pauseMs(Failure failure, int attempt) {
    var random = ThreadLocalRandom.current();
    if (failure.retryAfterMs().isPresent()) {
      long said = Math.max(failure.retryAfterMs().get(), LEAST_PAUSE_MS);
      return (long) (said * random.nextDouble(1, 1.5));
    }
    return (long) (Math.min(200L << Math.min(attempt - 1, 4), 2000) * random.nextDouble(0.8, 1.2));
  }
}
