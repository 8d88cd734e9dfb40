package io.whence.source.kafka;

/** Lets partitions be followed, and no longer. Thread safety: thread-safe. */
interface Follower {
  /** Begins to follow a partition, now or when it is known where it begins. */
  void follow(FollowedPartition partition);

  /** Returns once the partition is no longer written to. */
  void unfollow(FollowedPartition partition);
}
