package io.whence.source.kafka;

import io.whence.model.TopicPartition;
import io.whence.source.kafka.fetch.FetchEvents;

/**
 * Is told how the following of a cluster goes, and what its lanes do. Called by threads of the
 * source: returns at once.
 */
public interface KafkaEvents extends FetchEvents {
  /** Hears nothing. */
  KafkaEvents NOOP = new KafkaEvents() {};

  /** The cluster can't be asked for its topics, or what it says can't be followed. */
  default void refreshFailed(String source, String problem) {}

  /**
   * The cluster was asked for its topics, or could not be.
   *
   * @param whole whether all of them are followed now
   */
  default void refreshed(String source, boolean whole) {}

  /**
   * How many partitions there are has changed, or how many of them are as they should be.
   *
   * @param partitionCount how many are followed
   * @param caughtUpCount how many have had all that the cluster had since the start
   * @param failing why one of those that can't be fetched now can't be; empty if all can be
   */
  default void progressed(String source, int partitionCount, int caughtUpCount, String failing) {}

  /** Work that is done again and again, or that an answer led to, broke off; it is tried again. */
  default void taskFailed(String source, RuntimeException failure) {}

  /** Records went that the log cleaner of the cluster had removed. */
  default void removed(String source, TopicPartition partition, long recordCount) {}

  /**
   * A copy was found damaged: it is fetched again from an offset on, and answers nothing until
   * then.
   */
  default void repaired(String source, TopicPartition partition, long fromOffset) {}
}
