package io.whence.log;

import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import java.nio.file.Path;

/** Is told what becomes of timelines and index files. Implementations are thread-safe. */
public interface PreloadEvents {
  /** Hears nothing. */
  PreloadEvents NOOP = new PreloadEvents() {};

  /**
   * A start has loaded some of what it waits for; called at most some twenty times.
   *
   * @param loaded how many segments of the source are in memory
   * @param wanted how many are to be, of those that it waits for
   * @param bytes how much memory the timelines of all sources take
   */
  default void progressed(String source, int loaded, int wanted, long bytes) {}

  /** A timeline was loaded after it was not in memory. */
  default void loaded(TopicPartition partition, long baseOffset) {}

  /** A timeline had to make room. */
  default void dropped(TopicPartition partition, long baseOffset) {}

  /** A timeline can't be loaded; lookups in its segment read the log, or fail as it does. */
  default void failed(TopicPartition partition, long baseOffset, WhenceException failure) {}

  /** Index files were missing or not as written, and were made again from the log. */
  default void rebuilt(Path log) {}
}
