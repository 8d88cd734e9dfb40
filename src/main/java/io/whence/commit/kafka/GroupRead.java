package io.whence.commit.kafka;

import io.whence.commit.Group;
import io.whence.model.TopicPartition;
import java.util.Set;

/**
 * What was read of a group. Thread safety: immutable.
 *
 * @param group what is committed
 * @param undecided partitions of which the group says nothing because a transaction that commits
 *     for them has not ended: that is unknown, not none
 */
record GroupRead(Group group, Set<TopicPartition> undecided) {
  GroupRead {
    undecided = Set.copyOf(undecided);
  }

  boolean isDecided() {
    return undecided.isEmpty();
  }
}
