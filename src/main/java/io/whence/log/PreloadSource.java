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
   * @param headLoaded is to be called when a timeline was loaded: if it is that of the segment that
   *     the log begins in the middle of, it is made to begin there
   */
  record Log(TopicPartition partition, LogSnapshot snapshot, Runnable headLoaded) {}
}
