package io.whence.source.archive;

import io.whence.log.LogSnapshot;
import io.whence.model.ErrorReason;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.source.TopicInfo;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/** The topics of an archive with all their partitions. Thread safety: immutable. */
final class ArchivedTopics {
  private final NavigableMap<String, NavigableMap<Integer, ArchivedPartition>> partitions =
      new TreeMap<>();
  private final NavigableMap<String, TopicInfo> topics = new TreeMap<>();
  private final List<String> warnings = new ArrayList<>();

  ArchivedTopics(Collection<ArchivedPartition> loaded) {
    for (ArchivedPartition each : loaded) {
      partitions
          .computeIfAbsent(each.partition().topic(), topic -> new TreeMap<>())
          .put(each.partition().partition(), each);
    }
    partitions.forEach((topic, of) -> topics.put(topic, info(topic, of)));
  }

  private TopicInfo info(String topic, NavigableMap<Integer, ArchivedPartition> of) {
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
    return new TopicInfo(topic, id, of.lastKey() + 1, Map.of());
  }

  /** Returns the warnings of all partitions, by topic and partition. */
  List<String> warnings() {
    return warnings;
  }

  List<TopicInfo> all() {
    return List.copyOf(topics.values());
  }

  TopicInfo topic(String source, String topic) {
    TopicInfo info = topics.get(topic);
    if (info == null) {
      throw WhenceException.of(
          ErrorReason.UNKNOWN_TOPIC,
          "topic '" + topic + "' is not in archive '" + source + "'",
          "source",
          source,
          "topic",
          topic);
    }
    return info;
  }

  LogSnapshot log(String source, TopicPartition partition) {
    TopicInfo info = topic(source, partition.topic());
    ArchivedPartition found =
        partitions.getOrDefault(partition.topic(), new TreeMap<>()).get(partition.partition());
    if (found != null) {
      return found.orThrow();
    }
    String message =
        partition.partition() < info.partitionCount()
            ? "the directory " + partition + " is not in archive '" + source + "'"
            : "topic '"
                + info.name()
                + "' has "
                + info.partitionCount()
                + " partitions in archive '"
                + source
                + "', there is no partition "
                + partition.partition();
    throw WhenceException.of(
        ErrorReason.UNKNOWN_PARTITION,
        message,
        "source",
        source,
        "topic",
        partition.topic(),
        "partition",
        partition.partition());
  }
}
