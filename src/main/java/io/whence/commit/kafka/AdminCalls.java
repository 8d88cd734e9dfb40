package io.whence.commit.kafka;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;

/** Waits for answers of Kafka's client, never without end. */
final class AdminCalls {
  /** The client itself says more of what it waited for; it may be a little late. */
  private static final int GRACE_MS = 250;

  private AdminCalls() {}

  /**
   * Waits for an answer; throws what the cluster answered instead.
   *
   * @throws TimeoutException if there is none until the deadline
   */
  static <T> T await(KafkaFuture<T> answer, Deadline deadline) {
    try {
      return answer.get((long) deadline.remainingMs() + GRACE_MS, TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      Throwable cause = ClusterFailures.causeOf(e);
      if (cause instanceof RuntimeException told) {
        throw told;
      }
      throw new IllegalStateException(cause);
    } catch (java.util.concurrent.TimeoutException e) {
      throw new TimeoutException("no answer in time", e);
    } catch (InterruptedException e) {
      // Sets the flag again.
      throw new InterruptException(e);
    }
  }
}
