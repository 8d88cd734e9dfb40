package io.whence.source.kafka.fetch;

import io.whence.model.TopicPartition;

/** Is told what happens in lanes. Called by their threads: returns at once. */
public interface FetchEvents {
  /** Hears nothing. */
  FetchEvents NOOP = new FetchEvents() {};

  /** A broker is asked for records. */
  default void asked(String lane, int broker) {}

  /** The cluster is asked for leaders. */
  default void metadataAsked(String lane) {}

  /**
   * A broker has answered.
   *
   * @param records how many records came, those of batches that reach below the position included
   * @param bytes how many bytes of batches came
   * @param nanos how long that took
   */
  default void answered(String lane, int broker, long records, long bytes, long nanos) {}

  /** A broker wants to be left alone for so many milliseconds, because of a quota. */
  default void throttled(String lane, int broker, long millis) {}

  /** A broker can't be reached, does not answer or refuses a whole question. */
  default void brokerFailed(String lane, int broker, String failure) {}

  /** A partition can't be fetched. */
  default void partitionFailed(String lane, TopicPartition partition, FetchFault fault) {}

  /**
   * A feed has thrown; it is asked for its position after a while.
   *
   * @param inRow for which time in a row, from 1 on
   */
  default void feedFailed(
      String lane, TopicPartition partition, int inRow, RuntimeException failure) {}

  /** All connections of a lane were given up; they are made again after a while. */
  default void laneFailed(String lane, RuntimeException failure) {}
}
