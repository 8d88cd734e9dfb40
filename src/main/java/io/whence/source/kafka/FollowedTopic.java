package io.whence.source.kafka;

import io.whence.log.LogSnapshot;
import io.whence.model.ErrorReason;
import io.whence.model.TopicId;
import io.whence.model.WhenceException;
import io.whence.source.PartitionLogs;
import io.whence.source.TopicInfo;
import java.util.List;
import java.util.Map;

/**
 * A topic of a cluster, with the partitions that are followed. Thread safety: immutable; the
 * partitions are thread-safe.
 *
 * @param name the name
 * @param id tells it from another one of the same name, before or after it
 * @param partitions all, by number
 */
record FollowedTopic(String name, TopicId id, List<FollowedPartition> partitions)
    implements PartitionLogs {
  FollowedTopic {
    partitions = List.copyOf(partitions);
  }

  TopicInfo info() {
    return new TopicInfo(name, id, partitions.size(), Map.of());
  }

  @Override
  public int count() {
    return partitions.size();
  }

  @Override
  public LogSnapshot snapshot(int partition) {
    return partition(partition).snapshot();
  }

  @Override
  public long stalenessMs(int partition, long ofSource) {
    return partition(partition).stalenessMs();
  }

  FollowedPartition partition(int partition) {
    if (partition >= partitions.size()) {
      throw WhenceException.of(
          ErrorReason.UNKNOWN_PARTITION,
          "partition "
              + partition
              + " of topic '"
              + name
              + "' does not exist; it has partitions 0 to "
              + (partitions.size() - 1),
          "topic",
          name,
          "partition",
          partition,
          "partition_count",
          partitions.size());
    }
    return partitions.get(partition);
  }
}
