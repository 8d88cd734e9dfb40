package io.whence.source.kafka;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;

/**
 * Asks the leader of one partition where its log begins, after the partition was out of range of
 * it. One question at a time. Thread safety: thread-safe.
 */
final class BoundsQuestion {
  private final ClusterAdmin admin;
  private final Lanes lanes;
  private final AtomicBoolean asking = new AtomicBoolean();

  BoundsQuestion(ClusterAdmin admin, Lanes lanes) {
    this.admin = admin;
    this.lanes = lanes;
  }

  /**
   * Asks; without an answer the lane comes back with the same, and it is asked again.
   *
   * @param moveTo gets the log start offset, before the lane asks for the position
   */
  void ask(FollowedPartition partition, LongConsumer moveTo) {
    if (!asking.compareAndSet(false, true)) {
      return;
    }
    admin
        .logStartOffset(partition.partition())
        .whenComplete(
            (start, failure) -> {
              asking.set(false);
              if (failure == null) {
                moveTo.accept(start);
              }
              lanes.reposition(partition);
            });
  }
}
