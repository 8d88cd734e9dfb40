package io.whence.source.kafka;

import io.whence.source.kafka.StartOffsets.Begin;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Asks where to go on with one partition, after it was out of range of its leader: where it would
 * begin now. One question at a time. Thread safety: thread-safe.
 */
final class BoundsQuestion {
  private final StartOffsets rule;
  private final Lanes lanes;
  private final AtomicBoolean asking = new AtomicBoolean();

  BoundsQuestion(StartOffsets rule, Lanes lanes) {
    this.rule = rule;
    this.lanes = lanes;
  }

  /** Returns where the partition begins. */
  StartOffsets rule() {
    return rule;
  }

  /**
   * Asks; without an answer the lane comes back with the same, and it is asked again.
   *
   * @param moveTo gets where to begin, before the lane asks for the position
   */
  void ask(FollowedPartition partition, Consumer<Begin> moveTo) {
    if (!asking.compareAndSet(false, true)) {
      return;
    }
    CompletionStage<Begin> asked =
        Objects.requireNonNull(
            rule.of(List.of(partition.partition())).get(partition.partition()), "an answer");
    asked.whenComplete(
        (begin, failure) -> {
          asking.set(false);
          if (failure == null) {
            moveTo.accept(begin);
          }
          lanes.reposition(partition);
        });
  }
}
