package io.whence.testkit;

import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.TransactionalIdNotFoundException;

/**
 * Lets a broker make the topics of committed offsets and of transactions. It does so for the first
 * who needs them, which takes longer on a busy machine than a commit may.
 */
public final class KafkaCoordinators {
  private static final int LIMIT_SECONDS = 120;

  private KafkaCoordinators() {}

  /**
   * Waits until a broker answers for groups and for transactions.
   *
   * @throws IllegalStateException if it does not in time
   */
  public static void await(Admin admin) {
    try {
      get(admin.listConsumerGroupOffsets("nobody").partitionsToOffsetAndMetadata());
      get(admin.describeTransactions(List.of("nobody")).all());
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof TransactionalIdNotFoundException)) {
        throw new IllegalStateException("coordinators did not answer", e);
      }
    }
  }

  private static <T> T get(KafkaFuture<T> answer) throws ExecutionException {
    try {
      return answer.get(LIMIT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for coordinators", e);
    } catch (TimeoutException e) {
      throw new IllegalStateException("coordinators did not answer in time", e);
    }
  }
}
