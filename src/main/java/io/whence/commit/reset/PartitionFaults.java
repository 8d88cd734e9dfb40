package io.whence.commit.reset;

import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;

/** Is told of faults of the server that keep a partition from being planned. */
@FunctionalInterface
public interface PartitionFaults {
  /** Returns what a client is told of a failure that nobody expected. */
  WhenceException told(TopicPartition partition, RuntimeException fault);
}
