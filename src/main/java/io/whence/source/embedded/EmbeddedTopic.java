package io.whence.source.embedded;

import io.whence.log.LogConfig;
import io.whence.log.PartitionLog;
import io.whence.log.TopicsFile;
import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import io.whence.source.TopicInfo;
import java.util.List;

/**
 * A topic with its open logs. Thread safety: immutable; the logs are thread-safe.
 *
 * @param entry what the topics file says
 * @param config its settings
 * @param logs its logs, by partition
 */
record EmbeddedTopic(TopicsFile.Entry entry, LogConfig config, List<PartitionLog> logs) {
  EmbeddedTopic {
    logs = List.copyOf(logs);
  }

  TopicInfo info() {
    return new TopicInfo(entry.name(), entry.id(), logs.size(), config.all());
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
