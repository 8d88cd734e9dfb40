package io.whence.source.kafka;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.whence.model.TopicPartition;
import io.whence.source.kafka.StartOffsets.Begin;
import io.whence.source.kafka.fetch.FetchFault;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Lets partitions be fetched once it is known where they begin: at once where something is there
 * already or all is wanted, else when the leader has told. Invariant: a partition without leader is
 * not asked about, each one by one question at a time, and what fails waits for the next {@link
 * #ask}. Thread safety: thread-safe.
 */
final class Starts implements Follower {
  private final Leaders leaders;
  private final StartOffsets rule;
  private final Follower lanes;
  private final Executor executor;

  /** Those that do not begin yet. */
  @GuardedBy("this")
  private final Set<FollowedPartition> waiting = new HashSet<>();

  /** Those of them that are asked about just now. */
  @GuardedBy("this")
  private final Set<FollowedPartition> asked = new HashSet<>();

  /**
   * Makes one.
   *
   * @param rule where partitions begin that are to begin at the configured point
   * @param lanes fetch
   * @param executor runs what answers lead to, which touches files
   */
  Starts(Leaders leaders, StartOffsets rule, Follower lanes, Executor executor) {
    this.leaders = leaders;
    this.rule = rule;
    this.lanes = lanes;
    this.executor = executor;
  }

  @Override
  public void follow(FollowedPartition partition) {
    if (partition.isToBePlaced()) {
      synchronized (this) {
        waiting.add(partition);
      }
    } else {
      lanes.follow(partition);
    }
  }

  @Override
  public void unfollow(FollowedPartition partition) {
    synchronized (this) {
      waiting.remove(partition);
    }
    lanes.unfollow(partition);
  }

  /** Places none of those that wait any more. */
  synchronized void close() {
    waiting.clear();
  }

  /** Asks where those begin that wait; returns at once. */
  void ask() {
    List<FollowedPartition> batch;
    synchronized (this) {
      batch = new ArrayList<>(waiting);
      batch.removeAll(asked);
      asked.addAll(batch);
    }
    if (batch.isEmpty()) {
      return;
    }
    Map<String, CompletableFuture<Map<Integer, Integer>>> nodes =
        leaders.nodes(
            batch.stream().map(each -> each.partition().topic()).collect(Collectors.toSet()));
    StartOffsets.ended(nodes.values())
        .thenRun(() -> askLeaders(batch, nodes))
        .whenComplete(
            (done, failure) -> {
              if (failure != null) {
                batch.forEach(partition -> end(partition, null, failure));
              }
            });
  }

  /** One question for each leader, so that one that hangs holds up only its own partitions. */
  private void askLeaders(
      List<FollowedPartition> batch, Map<String, CompletableFuture<Map<Integer, Integer>>> nodes) {
    Map<Integer, List<FollowedPartition>> byNode = new HashMap<>();
    for (FollowedPartition partition : batch) {
      TopicPartition name = partition.partition();
      CompletionStage<Map<Integer, Integer>> topic =
          Objects.requireNonNull(nodes.get(name.topic()), "an answer for each topic");
      topic.whenComplete(
          (leader, failure) -> {
            Integer node = failure == null ? leader.get(name.partition()) : null;
            if (node == null) {
              end(partition, null, failure == null ? new NoLeaderException(name) : failure);
            } else {
              byNode.computeIfAbsent(node, any -> new ArrayList<>()).add(partition);
            }
          });
    }
    byNode.values().forEach(this::askLeader);
  }

  private void askLeader(Collection<FollowedPartition> partitions) {
    Map<TopicPartition, CompletableFuture<Begin>> begins =
        rule.of(partitions.stream().map(FollowedPartition::partition).toList());
    for (FollowedPartition partition : partitions) {
      CompletionStage<Begin> asking =
          Objects.requireNonNull(begins.get(partition.partition()), "an answer for each partition");
      asking.whenComplete((begin, failure) -> end(partition, begin, failure));
    }
  }

  private void end(
      FollowedPartition partition, @Nullable Begin begin, @Nullable Throwable failure) {
    executor.execute(() -> place(partition, begin, failure));
  }

  private synchronized void place(
      FollowedPartition partition, @Nullable Begin begin, @Nullable Throwable failure) {
    asked.remove(partition);
    if (!waiting.contains(partition)) {
      return; // Its topic is gone, or the server stops.
    }
    if (failure != null) {
      partition.failed(fault(failure));
    } else if (begin != null && partition.beginAt(begin)) {
      waiting.remove(partition);
      lanes.follow(partition);
    }
  }

  private static FetchFault fault(Throwable failure) {
    FetchFault fault = LeaderFailures.of(failure);
    return new FetchFault(fault.reason(), "can't be asked where to begin: " + fault.message());
  }

  /** Nobody leads a partition now. */
  private static final class NoLeaderException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NoLeaderException(TopicPartition partition) {
      super("partition " + partition + " has no leader", null, false, false);
    }
  }
}
