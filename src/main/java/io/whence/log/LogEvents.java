package io.whence.log;

import io.whence.model.TopicPartition;
import java.nio.file.Path;

/** Is told what happens in logs. Called under the lock of a log: returns at once. */
public interface LogEvents {
  /** Hears nothing. */
  LogEvents NOOP = new LogEvents() {};

  /** Batches were put on disk together. */
  default void flushed(TopicPartition partition, int batchCount, long nanos) {}

  /** A new segment began. */
  default void rolled(TopicPartition partition, long baseOffset) {}

  /** The log start offset rose. */
  default void trimmed(TopicPartition partition, long logStartOffset, String reason) {}

  /** A record with a timestamp after the clock keeps a segment from being deleted. */
  default void retentionBlocked(TopicPartition partition, long baseOffset, long timestampMs) {}

  /** Something was repaired or found damaged. */
  default void warned(TopicPartition partition, String warning) {}

  /**
   * A reader found damage in a .log file that was whole when it was opened; told once of each file,
   * by the first who finds some.
   *
   * @param position the byte position in the file
   * @param expected what should be there
   * @param found what is there
   */
  default void damaged(Path log, long position, String expected, String found) {}
}
