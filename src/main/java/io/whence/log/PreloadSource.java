package io.whence.log;

import io.whence.model.TopicPartition;
import java.util.List;

/** A source whose timelines are preloaded. Implementations are thread-safe. */
public interface PreloadSource {
  /** Returns the name. */
  String name();

  /** Returns its logs as they are at this moment. */
  List<Log> preloadedLogs();

  /**
   * A log.
   *
   * @param partition the partition
   * @param snapshot the log
   * @param headLoaded is to be called when the timeline of the segment was loaded that the log
   *     begins in the middle of
   */
  record Log(TopicPartition partition, LogSnapshot snapshot, Runnable headLoaded) {}
}
