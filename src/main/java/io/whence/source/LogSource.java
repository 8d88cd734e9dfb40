package io.whence.source;

import io.whence.log.LogSnapshot;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import java.util.List;

/**
 * A named set of topics whose logs can be asked. Thread safety: thread-safe.
 *
 * <p>Topics that don't exist fail with {@code UNKNOWN_TOPIC}, partitions with {@code
 * UNKNOWN_PARTITION}, and everything before {@link #isReady()} with {@code NOT_READY}; all are
 * {@link WhenceException}s.
 */
public interface LogSource {
  /** Returns the name. */
  String name();

  /** Returns the kind. */
  SourceKind kind();

  /** Returns whether the logs are loaded. */
  boolean isReady();

  /** Returns what the operator should know, such as directories that could not be read. */
  List<String> warnings();

  /** Returns all topics, by name. */
  List<TopicInfo> topics();

  /** Returns one topic. */
  TopicInfo topic(String topic);

  /** Returns the logs of a topic. Takes no lock. */
  PartitionLogs logs(String topic);

  /** Returns the log of a partition as it is at this moment. */
  default LogSnapshot snapshot(TopicPartition partition) {
    return logs(partition.topic()).snapshot(partition.partition());
  }

  /**
   * Returns for how long, in milliseconds, the logs may have gone on without this source seeing it:
   * 0 for logs that it owns, the time since it was opened for an archive.
   */
  long stalenessMs();
}
