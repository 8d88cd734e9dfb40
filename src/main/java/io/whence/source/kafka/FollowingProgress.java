package io.whence.source.kafka;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Tells how the following of a cluster goes, when that has changed. Thread safety: single-writer.
 */
final class FollowingProgress {
  private final String source;
  private final Supplier<List<FollowedPartition>> partitions;
  private final KafkaEvents events;
  private State told = new State(0, 0, "");

  /**
   * Makes one that has told nothing.
   *
   * @param source the name of the source
   */
  FollowingProgress(
      String source, Supplier<List<FollowedPartition>> partitions, KafkaEvents events) {
    this.source = source;
    this.partitions = partitions;
    this.events = events;
  }

  /**
   * How the following goes.
   *
   * @param failing why one of the partitions can't be fetched; empty if all can be
   */
  private record State(int partitionCount, int caughtUpCount, String failing) {}

  /** Tells it, if it is another than before. */
  void tell() {
    List<FollowedPartition> all = partitions.get();
    State now =
        new State(
            all.size(),
            (int) all.stream().filter(FollowedPartition::isCaughtUp).count(),
            all.stream().flatMap(partition -> failing(partition).stream()).findFirst().orElse(""));
    if (!now.equals(told)) {
      told = now;
      events.progressed(source, now.partitionCount(), now.caughtUpCount(), now.failing());
    }
  }

  /** Returns which partition can't be fetched, and why; nothing of one that can be. */
  static Optional<String> failing(FollowedPartition partition) {
    return partition.fault().map(fault -> partition.partition() + ": " + fault.message());
  }
}
