package io.whence.source.kafka;

import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.source.kafka.fetch.FetchFault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.errors.AuthorizationException;

/**
 * Waits until partitions have what their leaders have: asks the leaders, one question for all
 * partitions of each, and then waits for what is being fetched anyway. Thread safety:
 * single-writer.
 */
final class CatchUp {
  private static final long LOOK_MS = 10;

  private final ClusterAdmin admin;
  private final long untilNanos;
  private final Cancellation cancellation;
  private final List<FollowedPartition> partitions = new ArrayList<>();
  private final Map<TopicPartition, WhenceException> failures = new HashMap<>();

  /**
   * Begins without partitions.
   *
   * @param limit how long all of it may take
   */
  CatchUp(ClusterAdmin admin, Duration limit, Cancellation cancellation) {
    this.admin = admin;
    this.untilNanos = System.nanoTime() + limit.toNanos();
    this.cancellation = cancellation;
  }

  /** Adds a partition; one whose leader is known to be away fails at once, and nobody is asked. */
  void add(FollowedPartition partition) {
    Optional<FetchFault> fault = partition.fault();
    if (fault.isPresent()) {
      failures.put(
          partition.partition(), partition.failure(fault.get().reason(), fault.get().message()));
    } else {
      partitions.add(partition);
    }
  }

  /** Waits; returns what failed. */
  Map<TopicPartition, WhenceException> await() {
    Map<TopicPartition, CompletableFuture<Long>> ends =
        admin.endOffsets(partitions.stream().map(FollowedPartition::partition).toList());
    for (FollowedPartition partition : partitions) {
      try {
        long end =
            await(
                Objects.requireNonNull(
                    ends.get(partition.partition()), "an end that was asked for"));
        if (!partition.awaitOffset(end, untilNanos, cancellation)) {
          fail(partition, ErrorReason.LEADER_UNAVAILABLE, "has not been followed up to " + end);
        }
      } catch (ExecutionException e) {
        boolean denied = e.getCause() instanceof AuthorizationException;
        fail(
            partition,
            denied ? ErrorReason.NOT_AUTHORIZED : ErrorReason.LEADER_UNAVAILABLE,
            "can't be asked for its end: " + e.getMessage());
      } catch (TimeoutException e) {
        fail(partition, ErrorReason.LEADER_UNAVAILABLE, "did not tell its end in time");
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        fail(partition, ErrorReason.DRAINING, "was not asked for its end: the server stops");
      }
    }
    return failures;
  }

  private void fail(FollowedPartition partition, ErrorReason reason, String what) {
    failures.put(partition.partition(), partition.failure(reason, what));
  }

  private long await(CompletableFuture<Long> end)
      throws InterruptedException, ExecutionException, TimeoutException {
    while (true) {
      cancellation.check();
      try {
        return end.get(LOOK_MS, TimeUnit.MILLISECONDS);
      } catch (TimeoutException e) {
        if (System.nanoTime() > untilNanos) {
          throw e;
        }
      }
    }
  }
}
