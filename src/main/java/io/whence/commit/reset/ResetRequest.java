package io.whence.commit.reset;

import io.whence.commit.Group;
import io.whence.model.IsolationLevel;
import io.whence.model.TopicPartition;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;

/**
 * What a plan is asked for. Thread safety: immutable.
 *
 * @param group the group as it is; read before any log is
 * @param partitions the partitions; kept by topic and partition
 * @param named whether somebody named these partitions; else they are those that happen to have an
 *     offset, and one that is gone is no failure
 * @param target where to
 * @param isolation which records count
 */
public record ResetRequest(
    Group group,
    List<TopicPartition> partitions,
    boolean named,
    ResetTarget target,
    IsolationLevel isolation) {
  private static final Comparator<TopicPartition> BY_TOPIC_AND_PARTITION =
      Comparator.comparing(TopicPartition::topic).thenComparing(TopicPartition::partition);

  /** Orders the partitions; refuses one that is listed twice, and offsets for other partitions. */
  public ResetRequest {
    partitions = partitions.stream().sorted(BY_TOPIC_AND_PARTITION).toList();
    if (new HashSet<>(partitions).size() < partitions.size()) {
      throw new IllegalArgumentException("a partition is listed twice");
    }
    if (target instanceof ResetTarget.Offsets given
        && !given.offsets().keySet().containsAll(partitions)) {
      throw new IllegalArgumentException("a partition has no offset to go to");
    }
  }
}
