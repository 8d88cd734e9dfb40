package io.whence.example;

import io.grpc.Deadline;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.AbstractStub;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Sends a request again that may be sent again: a lookup, or a commit with a request id. Holds no
 * state.
 */
final class Retry {
  private static final int ATTEMPTS = 5;
  private static final long LEAST_PAUSE_MS = 10;

  private Retry() {}

  /**
   * Calls at most five times before the deadline of the stub, and waits as long as the server says.
   */
  static <S extends AbstractStub<S>, T> T retrying(S stub, Function<S, T> call)
      throws InterruptedException {
    return repeat(stub, Failure::maySucceedLater, call);
  }

  /**
   * The same for what changes nothing, but only where the server was too busy: what is unavailable
   * gRPC has repeated itself (see {@link Connection}), and once is enough.
   */
  static <S extends AbstractStub<S>, T> T lookup(S stub, Function<S, T> call)
      throws InterruptedException {
    return repeat(stub, Failure::turnedAway, call);
  }

  private static <S extends AbstractStub<S>, T> T repeat(
      S stub, Predicate<Failure> helps, Function<S, T> call) throws InterruptedException {
    Deadline deadline = stub.getCallOptions().getDeadline();
    for (int attempt = 1; ; attempt++) {
      try {
        return call.apply(stub);
      } catch (StatusRuntimeException e) {
        Failure failure = Failure.of(e);
        if (attempt == ATTEMPTS
            || !helps.test(failure)
            || !waitToRetry(failure, attempt, deadline)) {
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
