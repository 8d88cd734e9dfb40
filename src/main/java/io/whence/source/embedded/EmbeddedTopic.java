package io.whence.source.embedded;

import io.whence.log.LogConfig;
import io.whence.log.LogSnapshot;
import io.whence.log.PartitionLog;
import io.whence.log.TopicsFile;
import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import io.whence.source.PartitionLogs;
import io.whence.source.TopicInfo;
import java.util.List;

/**
 * A topic with its open logs. Thread safety: immutable; the logs are thread-safe.
 *
 * @param entry what the topics file says
 * @param config its settings
 * @param logs its logs, by partition
 */
record EmbeddedTopic(TopicsFile.Entry entry, LogConfig config, List<PartitionLog> logs)
    implements PartitionLogs {
  EmbeddedTopic {
    logs = List.copyOf(logs);
  }

  TopicInfo info() {
    return new TopicInfo(entry.name(), entry.id(), logs.size(), config.all());
  }

  @Override
  public int count() {
    return logs.size();
  }

  @Override
  public LogSnapshot snapshot(int partition) {
    return log(partition).snapshot();
  }

  PartitionLog log(int partition) {
    if (partition >= logs.size()) {
      throw WhenceException.of(
          ErrorReason.UNKNOWN_PARTITION,
          "partition "
              + partition
              + " of topic '"
              + entry.name()
              + "' does not exist; it has partitions 0 to "
              + (logs.size() - 1),
          "topic",
          entry.name(),
          "partition",
          partition,
          "partition_count",
          logs.size());
    }
    return logs.get(partition);
  }
}
