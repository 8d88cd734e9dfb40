package io.whence.source.archive;

import io.whence.log.LogSnapshot;
import io.whence.log.PreloadSource;
import io.whence.model.ErrorReason;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.source.PartitionLogs;
import io.whence.source.TopicInfo;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;

/** A topic of an archive. Thread safety: immutable. */
final class ArchivedTopic implements PartitionLogs {
  private final String source;
  private final TopicInfo info;

  /** Ascending. Directories may be missing, so this is not always 0, 1, 2 and so on. */
  private final int[] numbers;

  /** In the order of the numbers. */
  private final ArchivedPartition[] partitions;

  private ArchivedTopic(
      String source, TopicInfo info, NavigableMap<Integer, ArchivedPartition> of) {
    this.source = source;
    this.info = info;
    numbers = of.keySet().stream().mapToInt(Integer::intValue).toArray();
    partitions = of.values().toArray(new ArchivedPartition[0]);
  }

  /**
   * Makes a topic of its partitions.
   *
   * @param source the name of the archive
   * @param of its partitions by number; at least one
   * @param warnings gets what the operator should know
   */
  static ArchivedTopic of(
      String source,
      String topic,
      NavigableMap<Integer, ArchivedPartition> of,
      List<String> warnings) {
    Set<TopicId> ids = new LinkedHashSet<>();
    for (ArchivedPartition each : of.values()) {
      if (each.topicId() != null) {
        ids.add(each.topicId());
      }
      warnings.addAll(each.warnings());
    }
    if (ids.size() > 1) {
      // Remains of a deleted topic beside those of a new one: no id is that of all partitions.
      warnings.add(topic + ": its partitions are of several topics of that name, " + ids);
    }
    TopicId id = ids.size() == 1 ? ids.iterator().next() : null;
    return new ArchivedTopic(source, new TopicInfo(topic, id, of.lastKey() + 1, Map.of()), of);
  }

  TopicInfo info() {
    return info;
  }

  /** Returns the logs that could be loaded. */
  List<PreloadSource.Log> logs() {
    List<PreloadSource.Log> logs = new ArrayList<>();
    for (ArchivedPartition each : partitions) {
      LogSnapshot log = each.log();
      if (log != null) {
        logs.add(new PreloadSource.Log(each.partition(), log, log::cutLoadedHead));
      }
    }
    return logs;
  }

  @Override
  public int count() {
    return info.partitionCount();
  }

  @Override
  public LogSnapshot snapshot(int partition) {
    int index = index(partition);
    if (index < 0) {
      throw unknown(partition);
    }
    return partitions[index].orThrow();
  }

  private int index(int partition) {
    boolean noneMissing = partition < numbers.length && numbers[partition] == partition;
    return noneMissing ? partition : Arrays.binarySearch(numbers, partition);
  }

  private WhenceException unknown(int partition) {
    String message =
        partition < info.partitionCount()
            ? "the directory "
                + new TopicPartition(info.name(), partition)
                + " is not in archive '"
                + source
                + "'"
            : "topic '"
                + info.name()
                + "' has "
                + info.partitionCount()
                + " partitions in archive '"
                + source
                + "', there is no partition "
                + partition;
    return WhenceException.of(
        ErrorReason.UNKNOWN_PARTITION,
        message,
        "source",
        source,
        "topic",
        info.name(),
        "partition",
        partition);
  }
}
