package io.whence.source.embedded;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.whence.log.DataDirectory;
import io.whence.log.LogConfig;
import io.whence.log.LogEvents;
import io.whence.log.PartitionLog;
import io.whence.log.TopicsFile;
import io.whence.model.ErrorReason;
import io.whence.model.TopicId;
import io.whence.model.TopicName;
import io.whence.model.WhenceException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The topics of a source. The topics file decides which there are: a topic exists once it is in the
 * file, and is gone once it is marked there. Only what exists can be written to. Thread safety:
 * thread-safe.
 */
final class EmbeddedTopics {
  private final Object lock = new Object();
  private final DataDirectory data;
  private final TopicDirectories directories;
  private final LogEvents events;
  private final ConcurrentSkipListMap<String, EmbeddedTopic> topics = new ConcurrentSkipListMap<>();

  /** Topics that are gone and whose directories are still there. */
  @GuardedBy("lock")
  private final List<TopicsFile.Entry> deleting = new ArrayList<>();

  @GuardedBy("lock")
  private boolean closed;

  EmbeddedTopics(DataDirectory data, TopicDirectories directories, LogEvents events) {
    this.data = data;
    this.directories = directories;
    this.events = events;
  }

  /**
   * Opens the logs of all topics, and finishes what a crash interrupted.
   *
   * @return what the operator should know
   */
  List<String> load() throws IOException {
    synchronized (lock) {
      List<String> warnings = new ArrayList<>();
      for (TopicsFile.Entry entry : data.topics().read()) {
        if (entry.isDeleting()) {
          deleting.add(entry);
        } else {
          topics.put(entry.name(), directories.open(entry));
        }
      }
      for (TopicsFile.Entry entry : List.copyOf(deleting)) {
        removeDirectories(entry).ifPresent(warnings::add);
      }
      var known = logs().stream().map(PartitionLog::partition).collect(Collectors.toSet());
      for (Path unknown : directories.cleanUnknown(known)) {
        warnings.add(unknown + ": not of a topic in " + TopicsFile.FILE_NAME + "; left alone");
      }
      return warnings;
    }
  }

  List<EmbeddedTopic> all() {
    return List.copyOf(topics.values());
  }

  List<PartitionLog> logs() {
    return topics.values().stream().flatMap(topic -> topic.logs().stream()).toList();
  }

  Optional<EmbeddedTopic> find(String name) {
    return Optional.ofNullable(topics.get(name));
  }

  EmbeddedTopic create(String name, int partitionCount, Map<String, String> config)
      throws IOException {
    TopicName.requireValid(name);
    LogConfig.of(config);
    requirePartitionCount(partitionCount);
    synchronized (lock) {
      requireOpen();
      requireNew(name);
      for (TopicsFile.Entry gone : List.copyOf(deleting)) {
        if (gone.name().equals(name)) {
          directories.remove(gone);
          deleting.remove(gone);
        }
      }
      EmbeddedTopic made =
          directories.create(
              new TopicsFile.Entry(name, new TopicId(UUID.randomUUID()), partitionCount, config));
      List<EmbeddedTopic> next = new ArrayList<>(topics.values());
      next.add(made);
      try {
        data.topics().write(entries(next));
      } catch (IOException e) {
        undo(made, e);
        throw e;
      }
      topics.put(name, made);
      return made;
    }
  }

  /** Returns the topic of this name, which is made if there is none. */
  EmbeddedTopic findOrCreate(String name, int partitionCount, Map<String, String> config)
      throws IOException {
    synchronized (lock) {
      EmbeddedTopic existing = topics.get(name);
      return existing != null ? existing : create(name, partitionCount, config);
    }
  }

  private void undo(EmbeddedTopic made, IOException cause) {
    try {
      for (PartitionLog log : made.logs()) {
        log.abandon();
      }
      directories.remove(made.entry());
    } catch (IOException e) {
      cause.addSuppressed(e); // Empty, so the next start deletes it.
    }
  }

  private static void requirePartitionCount(int partitionCount) {
    if (partitionCount < 1 || partitionCount > TopicsFile.MAX_PARTITIONS) {
      throw WhenceException.of(
          ErrorReason.INVALID_ARGUMENT,
          "partition_count: " + partitionCount + "; it takes 1 to " + TopicsFile.MAX_PARTITIONS,
          "field",
          "partition_count",
          "value",
          partitionCount);
    }
  }

  @GuardedBy("lock")
  private void requireNew(String name) {
    EmbeddedTopic other = topics.get(name);
    if (other != null) {
      throw WhenceException.of(
          ErrorReason.TOPIC_EXISTS,
          "topic '" + name + "' exists; delete it first, or choose another name",
          "topic",
          name,
          "topic_id",
          other.entry().id());
    }
  }

  /**
   * Deletes a topic. It is gone when this returns, even if some of its files are not.
   *
   * @param find finds the topic, or fails
   * @param expected deletes it only if it has this id
   */
  EmbeddedTopic delete(Supplier<EmbeddedTopic> find, Optional<TopicId> expected)
      throws IOException {
    synchronized (lock) {
      requireOpen();
      EmbeddedTopic gone = find.get();
      requireId(gone.entry(), expected);
      TopicsFile.Entry mark =
          new TopicsFile.Entry(gone.entry().name(), gone.entry().id(), 0, Map.of());
      deleting.add(mark);
      try {
        data.writeFewerTopics(
            entries(topics.values().stream().filter(topic -> !topic.equals(gone)).toList()));
      } catch (IOException e) {
        deleting.remove(mark);
        throw e;
      }
      topics.remove(mark.name());
      removeFiles(gone, mark);
      return gone;
    }
  }

  private static void requireId(TopicsFile.Entry entry, Optional<TopicId> expected) {
    if (expected.isPresent() && !expected.get().equals(entry.id())) {
      throw WhenceException.of(
          ErrorReason.STALE_TOPIC,
          "topic_id: topic '"
              + entry.name()
              + "' has the id "
              + entry.id()
              + ", not "
              + expected.get(),
          "topic",
          entry.name(),
          "topic_id",
          entry.id());
    }
  }

  @GuardedBy("lock")
  private void removeFiles(EmbeddedTopic gone, TopicsFile.Entry mark) throws IOException {
    for (PartitionLog log : gone.logs()) {
      log.abandon();
    }
    removeDirectories(mark)
        .ifPresent(warning -> events.warned(gone.logs().get(0).partition(), warning));
  }

  /** Takes no more changes. */
  void close() {
    synchronized (lock) {
      closed = true;
    }
  }

  @GuardedBy("lock")
  private void requireOpen() {
    if (closed) {
      throw WhenceException.of(
          ErrorReason.DRAINING, "the server is stopping; nothing was created or deleted");
    }
  }

  /** Removes what is left of a topic; it stays marked if that fails, and is tried again. */
  @GuardedBy("lock")
  private Optional<String> removeDirectories(TopicsFile.Entry mark) {
    try {
      directories.remove(mark);
      deleting.remove(mark);
      data.writeFewerTopics(entries(topics.values()));
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(
          "topic '" + mark.name() + "' is deleted, but some of its files are still there: " + e);
    }
  }

  @GuardedBy("lock")
  private List<TopicsFile.Entry> entries(Iterable<EmbeddedTopic> existing) {
    List<TopicsFile.Entry> entries = new ArrayList<>(deleting);
    existing.forEach(topic -> entries.add(topic.entry()));
    return entries;
  }
}
