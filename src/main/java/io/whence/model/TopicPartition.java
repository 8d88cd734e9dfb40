package io.whence.model;

/**
 * A partition of a topic.
 *
 * @param topic the name of the topic
 * @param partition the number of the partition, from 0
 */
public record TopicPartition(String topic, int partition) {
  /** Rejects negative partitions. */
  public TopicPartition {
    if (partition < 0) {
      throw new IllegalArgumentException("partition " + partition + " is negative");
    }
  }

  /** Returns the name of the directory that Kafka gives the partition. */
  @Override
  public String toString() {
    return topic + "-" + partition;
  }
}
