package io.whence.source.archive;

import io.whence.log.PreloadSource;
import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import io.whence.source.TopicInfo;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/** The topics of an archive with all their partitions. Thread safety: immutable. */
final class ArchivedTopics {
  private final String source;
  private final NavigableMap<String, ArchivedTopic> topics = new TreeMap<>();
  private final List<String> warnings = new ArrayList<>();

  /**
   * Makes them of what was loaded.
   *
   * @param source the name of the archive
   */
  ArchivedTopics(String source, Collection<ArchivedPartition> loaded) {
    this.source = source;
    NavigableMap<String, NavigableMap<Integer, ArchivedPartition>> partitions = new TreeMap<>();
    for (ArchivedPartition each : loaded) {
      partitions
          .computeIfAbsent(each.partition().topic(), topic -> new TreeMap<>())
          .put(each.partition().partition(), each);
    }
    partitions.forEach(
        (topic, of) -> topics.put(topic, ArchivedTopic.of(source, topic, of, warnings)));
  }

  /** Returns the warnings of all partitions, by topic and partition. */
  List<String> warnings() {
    return warnings;
  }

  List<TopicInfo> all() {
    return topics.values().stream().map(ArchivedTopic::info).toList();
  }

  /** Returns the logs that could be loaded. */
  List<PreloadSource.Log> logs() {
    return topics.values().stream().flatMap(topic -> topic.logs().stream()).toList();
  }

  /** Returns a topic, or fails with {@code UNKNOWN_TOPIC}. */
  ArchivedTopic topic(String name) {
    ArchivedTopic topic = topics.get(name);
    if (topic == null) {
      throw WhenceException.of(
          ErrorReason.UNKNOWN_TOPIC,
          "topic '" + name + "' is not in archive '" + source + "'",
          "source",
          source,
          "topic",
          name);
    }
    return topic;
  }
}
