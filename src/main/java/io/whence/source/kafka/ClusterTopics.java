package io.whence.source.kafka;

import io.whence.log.FollowedLog;
import io.whence.log.FollowedLogOptions;
import io.whence.log.LogConfig;
import io.whence.log.LogEnvironment;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The topics that are followed, kept as the cluster has them. A topic that was deleted and created
 * again is another one: its id names its directory, so the two never mix. Thread safety: one thread
 * changes it; readers are safe.
 */
final class ClusterTopics {
  /** A topic that is missing so often in a row is gone: one answer may be from a broker behind. */
  private static final int ABSENCES_UNTIL_GONE = 2;

  private final Path directory;
  private final LogEnvironment environment;
  private final PartitionMaker maker;
  private final Lanes lanes;
  private final Map<String, Integer> absences = new TreeMap<>();
  private volatile Map<String, FollowedTopic> topics = Map.of();

  /** Makes the partition of a log. */
  @FunctionalInterface
  interface PartitionMaker {
    FollowedPartition make(TopicId id, FollowedLog log);
  }

  ClusterTopics(Path directory, LogEnvironment environment, PartitionMaker maker, Lanes lanes) {
    this.directory = directory;
    this.environment = environment;
    this.maker = maker;
    this.lanes = lanes;
  }

  /** Returns the topics, by name. */
  Map<String, FollowedTopic> all() {
    return topics;
  }

  Optional<FollowedTopic> find(String name) {
    return Optional.ofNullable(topics.get(name));
  }

  List<FollowedPartition> partitions() {
    return topics.values().stream().flatMap(topic -> topic.partitions().stream()).toList();
  }

  /**
   * Follows what the cluster has, and no longer what it had.
   *
   * @throws IOException if a directory can't be made or read; what was changed before stays so
   */
  void update(Map<String, ClusterAdmin.Topic> cluster) throws IOException {
    Map<String, FollowedTopic> now = new TreeMap<>(topics);
    for (FollowedTopic topic : topics.values()) {
      ClusterAdmin.Topic seen = cluster.get(topic.name());
      if (seen == null ? isGone(topic.name()) : !seen.id().equals(topic.id())) {
        now.remove(topic.name());
        topics = Map.copyOf(now);
        drop(topic);
      }
    }
    for (Map.Entry<String, ClusterAdmin.Topic> seen : cluster.entrySet()) {
      absences.remove(seen.getKey());
      now.put(seen.getKey(), grown(seen.getKey(), seen.getValue(), now.get(seen.getKey())));
      topics = Map.copyOf(now);
    }
  }

  private boolean isGone(String name) {
    boolean gone = absences.merge(name, 1, Integer::sum) >= ABSENCES_UNTIL_GONE;
    if (gone) {
      absences.remove(name);
    }
    return gone;
  }

  private FollowedTopic grown(String name, ClusterAdmin.Topic seen, @Nullable FollowedTopic known)
      throws IOException {
    List<FollowedPartition> partitions =
        known == null ? new ArrayList<>() : new ArrayList<>(known.partitions());
    if (known != null && partitions.size() >= seen.partitionCount()) {
      return known;
    }
    for (int number = partitions.size(); number < seen.partitionCount(); number++) {
      FollowedPartition partition = open(new TopicPartition(name, number), seen.id());
      partitions.add(partition);
      lanes.follow(partition);
    }
    return new FollowedTopic(name, seen.id(), partitions);
  }

  private FollowedPartition open(TopicPartition partition, TopicId id) throws IOException {
    Path path =
        directory.resolve(id.toString()).resolve(partition.topic() + "-" + partition.partition());
    Files.createDirectories(path);
    FollowedLog log =
        FollowedLog.open(
            path, partition, LogConfig.of(Map.of()), environment, FollowedLogOptions.startingAt(0));
    return maker.make(id, log);
  }

  private void drop(FollowedTopic topic) throws IOException {
    for (FollowedPartition partition : topic.partitions()) {
      lanes.unfollow(partition);
      partition.log().abandon();
    }
    delete(directory.resolve(topic.id().toString()));
  }

  /** Deletes the logs of topics that the cluster no longer has, from earlier starts. */
  void deleteForgotten(Map<String, ClusterAdmin.Topic> cluster) throws IOException {
    Set<String> known = new HashSet<>();
    cluster.values().forEach(topic -> known.add(topic.id().toString()));
    List<Path> found;
    try (Stream<Path> children = Files.list(directory)) {
      found = children.filter(path -> !known.contains(String.valueOf(path.getFileName()))).toList();
    }
    for (Path forgotten : found) {
      delete(forgotten);
    }
  }

  private static void delete(Path root) throws IOException {
    if (!Files.exists(root)) {
      return;
    }
    List<Path> all;
    try (Stream<Path> files = Files.walk(root)) {
      all = files.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : all) {
      Files.deleteIfExists(path);
    }
  }

  /** Puts everything on disk; the first failure of several. */
  void close() throws IOException {
    IOException failure = null;
    for (FollowedPartition partition : partitions()) {
      try {
        partition.log().close();
      } catch (IOException e) {
        failure = failure == null ? e : failure;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
