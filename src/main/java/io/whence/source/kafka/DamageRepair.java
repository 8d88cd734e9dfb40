package io.whence.source.kafka;

import io.whence.log.FoundDamage;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Supplier;

/**
 * Has partitions fetched again from where a reader has found their files damaged: the cluster has
 * what was there. Until that is done, they answer nothing; so it waits while nobody could bring it.
 * Thread safety: single-writer.
 */
final class DamageRepair {
  /** A leader that was heard of so lately is there. */
  private static final long LATELY_MS = Duration.ofSeconds(5).toMillis();

  private final String source;
  private final Supplier<List<FollowedPartition>> partitions;
  private final Lanes lanes;
  private final KafkaEvents events;

  /**
   * Makes one.
   *
   * @param source the name of the source
   * @param lanes fetch the partitions
   */
  DamageRepair(
      String source,
      Supplier<List<FollowedPartition>> partitions,
      Lanes lanes,
      KafkaEvents events) {
    this.source = source;
    this.partitions = partitions;
    this.lanes = lanes;
    this.events = events;
  }

  /** Looks at all of them once. */
  void look() {
    for (FollowedPartition partition : partitions.get()) {
      OptionalLong from = FoundDamage.firstOffset(partition.log().snapshot());
      if (from.isPresent() && isFetched(partition) && partition.refetchFrom(from.getAsLong())) {
        lanes.reposition(partition);
        events.repaired(source, partition.partition(), from.getAsLong());
      }
    }
  }

  private static boolean isFetched(FollowedPartition partition) {
    return partition.fault().isEmpty()
        && partition.isCaughtUp()
        && partition.stalenessMs() < LATELY_MS;
  }
}
