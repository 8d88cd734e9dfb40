package io.whence.source.archive;

import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;

/**
 * Is told how far loading an archive is. Called from several threads at a time: implementations are
 * thread-safe.
 */
public interface ArchiveProgress {
  /** Hears nothing. */
  ArchiveProgress NOOP = new ArchiveProgress() {};

  /** Loading begins. */
  default void started(String source, int partitionCount) {}

  /**
   * A partition is loaded.
   *
   * @param loadedCount how many are done with it, failed ones included; from 1
   * @param partitionCount how many there are
   */
  default void loaded(TopicPartition partition, int loadedCount, int partitionCount) {}

  /** A partition can't be loaded; the others are served. */
  default void failed(TopicPartition partition, WhenceException failure) {}

  /** All partitions are loaded or have failed; the source is ready. */
  default void finished(String source, int partitionCount, long tookMs) {}
}
