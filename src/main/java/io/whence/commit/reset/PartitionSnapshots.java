package io.whence.commit.reset;

import io.whence.log.LogSnapshot;
import io.whence.model.TopicPartition;
import io.whence.source.LogSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Gives the logs that a plan is made over. Thread safety: as its implementation. */
@FunctionalInterface
interface PartitionSnapshots {
  /** Returns a log, or throws why there is none. */
  LogSnapshot of(TopicPartition partition);

  /** Takes all logs now; what can't be taken fails when it is asked for. */
  static PartitionSnapshots taken(LogSource source, List<TopicPartition> partitions) {
    Map<TopicPartition, LogSnapshot> logs = new HashMap<>();
    Map<TopicPartition, RuntimeException> failures = new HashMap<>();
    for (TopicPartition partition : partitions) {
      try {
        logs.put(partition, source.snapshot(partition));
      } catch (RuntimeException e) {
        failures.put(partition, e);
      }
    }
    return partition -> {
      RuntimeException failure = failures.get(partition);
      if (failure != null) {
        throw failure;
      }
      return Objects.requireNonNull(logs.get(partition), "a partition of the plan");
    };
  }
}
