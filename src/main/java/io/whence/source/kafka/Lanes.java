package io.whence.source.kafka;

import io.whence.source.kafka.fetch.FetchLane;
import java.util.List;
import java.util.Objects;

/**
 * The connections that fetch, and which partition is fetched by which. Thread safety: thread-safe.
 */
final class Lanes implements Follower, AutoCloseable {
  private final List<FetchLane> lanes;

  Lanes(List<FetchLane> lanes) {
    this.lanes = List.copyOf(lanes);
  }

  @Override
  public void follow(FollowedPartition partition) {
    of(partition).follow(partition);
  }

  /** Lets the lane ask where to go on. */
  void reposition(FollowedPartition partition) {
    of(partition).reposition(partition);
  }

  @Override
  public void unfollow(FollowedPartition partition) {
    of(partition).unfollow(partition).toCompletableFuture().join();
  }

  /** Always the same one, so that a partition is never fetched by two. */
  private FetchLane of(FollowedPartition partition) {
    int hash = Objects.hash(partition.topicId(), partition.partition().partition());
    return lanes.get(Math.floorMod(hash, lanes.size()));
  }

  /** Ends all of them, side by side: within two seconds. */
  @Override
  public void close() {
    lanes.forEach(FetchLane::stop);
    lanes.forEach(FetchLane::close);
  }
}
