package io.whence.grpc;

import io.whence.log.LogSnapshot;
import io.whence.model.WhenceException;
import io.whence.source.LogSource;
import io.whence.source.PartitionLogs;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The topics and logs that one lookup of timestamps sees. A topic is looked up once and a snapshot
 * taken once, so that all answers of a call about a partition come from the same snapshot (I4).
 * Thread safety: single-writer.
 */
final class CallTopics {
  private final LogSource source;
  private final Map<String, Topic> topics = new HashMap<>();
  private @Nullable Topic last;
  private @Nullable SnapshotTable snapshots;

  /** Begins with no topics and no snapshots. */
  CallTopics(LogSource source) {
    this.source = source;
  }

  /**
   * Keeps snapshots from now on, where partitions may be asked about more than once.
   *
   * @param table where to keep them
   * @param count how many partitions there may be at the most
   */
  void keepSnapshots(SnapshotTable table, int count) {
    table.reset(count);
    snapshots = table;
  }

  /** Returns a topic, whether it exists or not. */
  Topic topic(String name) {
    Topic found = last;
    if (found == null || !found.name.equals(name)) {
      found = topics.get(name);
      if (found == null) {
        found = find(name);
        topics.put(name, found);
      }
      last = found;
    }
    return found;
  }

  private Topic find(String name) {
    try {
      return new Topic(name, topics.size(), source.logs(name), null);
    } catch (WhenceException e) {
      return new Topic(name, topics.size(), null, e);
    }
  }

  /** A topic as the call sees it. */
  final class Topic {
    private final String name;
    private final int number;
    private final @Nullable PartitionLogs logs;
    private final @Nullable WhenceException failure;

    /** As counted once: all that the call sees has room for so many. */
    private final int count;

    private Topic(
        String name, int number, @Nullable PartitionLogs logs, @Nullable WhenceException failure) {
      this.name = name;
      this.number = number;
      this.logs = logs;
      this.failure = failure;
      this.count = logs == null ? 0 : logs.count();
    }

    /** Returns whether the topic was found. */
    boolean exists() {
      return logs != null;
    }

    /** Returns how many partitions it has, or fails as the topic was not found. */
    int count() {
      requireFound();
      return count;
    }

    /** Fails unless it has so many partitions. */
    void requireCount(int expected) {
      int count = count();
      if (count != expected) {
        throw CallLogs.countChanged(name, expected, count);
      }
    }

    /** Returns the log of a partition; where snapshots are kept, the same one every time. */
    LogSnapshot snapshot(int partition) {
      SnapshotTable table = snapshots;
      if (table == null) {
        return logs().snapshot(partition);
      }
      int slot = table.slot(number, partition);
      LogSnapshot known = table.get(slot);
      if (known == null) {
        known = logs().snapshot(partition);
        table.set(slot, number, partition, known);
      }
      return known;
    }

    /** Returns how old the copy of a partition is that answers, in milliseconds. */
    long stalenessMs(int partition, long ofSource) {
      return logs().stalenessMs(partition, ofSource);
    }

    private PartitionLogs logs() {
      requireFound();
      return Objects.requireNonNull(logs, name);
    }

    private void requireFound() {
      if (failure != null) {
        throw failure;
      }
    }
  }
}
