package io.whence.source.kafka;

import io.whence.model.Cancellation;
import io.whence.model.ClusterWait;
import io.whence.model.ErrorReason;
import io.whence.model.IsolationLevel;
import io.whence.model.Position;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.source.kafka.fetch.FetchFault;
import io.whence.source.kafka.fetch.FetchedBounds;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/**
 * Waits until partitions have what their leaders have: asks the leaders, one question for all
 * partitions of each, and then waits for what is being fetched anyway. Thread safety:
 * single-writer.
 */
final class CatchUp {
  static final String NOT_NOW = "is not followed now: ";
  private static final Position END = new Position.Latest();

  private final Leaders leaders;
  private final Duration limit;
  private final LeaderWait waiting;

  /** What their leaders had told before they were asked. */
  private final Map<FollowedPartition, FetchedBounds> partitions = new LinkedHashMap<>();

  private final Map<TopicPartition, WhenceException> failures = new HashMap<>();

  /**
   * Begins without partitions.
   *
   * @param limit how long all of it may take
   */
  CatchUp(Leaders leaders, Duration limit, Cancellation cancellation) {
    this.leaders = leaders;
    this.limit = limit;
    this.waiting = new LeaderWait(limit, cancellation);
  }

  /**
   * Adds a partition. One whose leader is known to be away, or that was never followed to its end,
   * fails at once, and nobody is asked.
   */
  void add(FollowedPartition partition) {
    Optional<FetchFault> fault = partition.fault();
    if (fault.isPresent()) {
      failures.put(
          partition.partition(),
          partition.failure(fault.get().reason(), NOT_NOW + fault.get().message()));
    } else if (partition.isCaughtUp()) {
      partition.bounds().ifPresent(bounds -> partitions.put(partition, bounds));
    } else {
      failures.put(
          partition.partition(),
          partition.failure(
              ErrorReason.NOT_READY, "has not been followed to its end since the start"));
    }
  }

  /**
   * Waits; returns what failed.
   *
   * @throws WhenceException only if nobody waits any more
   */
  Map<TopicPartition, WhenceException> await() {
    if (partitions.isEmpty()) {
      return failures;
    }
    try (ClusterWait unused = ClusterWait.begin()) {
      askLeaders();
    } catch (WhenceException e) {
      waiting.cancellation().check();
      partitions.keySet().forEach(p -> failures.put(p.partition(), e)); // No room to wait.
    }
    return failures;
  }

  private void askLeaders() {
    long askedNanos = System.nanoTime();
    Map<TopicPartition, CompletableFuture<LeaderOffset>> ends =
        leaders.ask(
            partitions.keySet().stream()
                .collect(Collectors.toMap(FollowedPartition::partition, any -> END, (a, b) -> a)),
            IsolationLevel.READ_UNCOMMITTED,
            limit);
    for (FollowedPartition partition : partitions.keySet()) {
      try {
        await(
            partition,
            Objects.requireNonNull(ends.get(partition.partition()), "an end that was asked for"));
        partition.completeAsOf(askedNanos);
      } catch (WhenceException e) {
        waiting.cancellation().check(); // Then it is nobody's any more.
        failures.put(partition.partition(), e);
      }
    }
  }

  private void await(FollowedPartition partition, CompletableFuture<LeaderOffset> asked) {
    LeaderOffset end = waiting.await(partition, "its end", asked);
    if (end.isBefore(Objects.requireNonNull(partitions.get(partition), "bounds before"))) {
      throw partition.failure(
          ErrorReason.LEADER_UNAVAILABLE,
          "was asked for by its name, and told an end before one that it had: another leader answers"
              + " now, or another topic of this name");
    }
    try {
      if (!partition.awaitEnd(end, waiting.untilNanos(), waiting.cancellation())) {
        throw partition.failure(
            ErrorReason.LEADER_UNAVAILABLE, "has not been followed up to " + end.offset());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw partition.failure(ErrorReason.DRAINING, "is not followed further: the server stops");
    }
  }
}
