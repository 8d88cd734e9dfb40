package io.whence.source.embedded;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.whence.log.AppendBatch;
import io.whence.log.DataDirectory;
import io.whence.log.LogConfig;
import io.whence.log.LogEnvironment;
import io.whence.log.LogSnapshot;
import io.whence.log.PartitionLog;
import io.whence.log.TopicsFile;
import io.whence.model.ErrorReason;
import io.whence.model.OffsetRange;
import io.whence.model.TopicId;
import io.whence.model.TopicName;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.source.SourceKind;
import io.whence.source.TopicInfo;
import io.whence.source.WritableLogSource;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * Logs that this server owns and writes. The topics file decides which topics there are: a topic
 * exists once it is in the file, and is gone once it is marked there. Thread safety: thread-safe.
 */
public final class EmbeddedSource implements WritableLogSource, AutoCloseable {
  /** How much of an active segment is read again after a crash, at the most. */
  private static final int CHECKPOINT_BYTES = 16 << 20;

  private final Object lock = new Object();
  private final String name;
  private final DataDirectory data;
  private final TopicDirectories directories;
  private final Maintenance maintenance;
  private final ConcurrentSkipListMap<String, EmbeddedTopic> topics = new ConcurrentSkipListMap<>();
  private final List<String> warnings = new ArrayList<>();

  /** Topics that are being deleted and whose directories are still there. */
  @GuardedBy("lock")
  private final List<TopicsFile.Entry> deleting = new ArrayList<>();

  private EmbeddedSource(String name, DataDirectory data, EmbeddedOptions options) {
    this.name = name;
    this.data = data;
    this.maintenance = new Maintenance(options, data, this::logs);
    this.directories =
        new TopicDirectories(
            data,
            new LogEnvironment(
                options.clock(),
                options.flusher(),
                maintenance,
                CHECKPOINT_BYTES,
                options.events()));
  }

  /**
   * Opens the data directory with all its logs, and makes one if there is none.
   *
   * @throws IOException if it can't be used; the message names path and rule
   */
  public static EmbeddedSource open(String name, EmbeddedOptions options) throws IOException {
    DataDirectory data = DataDirectory.open(options.data());
    EmbeddedSource source = new EmbeddedSource(name, data, options);
    try {
      source.load();
    } catch (IOException | RuntimeException e) {
      data.close();
      throw e;
    }
    source.maintenance.start();
    return source;
  }

  private void load() throws IOException {
    synchronized (lock) {
      for (TopicsFile.Entry entry : data.topics().read()) {
        if (entry.isDeleting()) {
          directories.remove(entry);
        } else {
          topics.put(entry.name(), directories.open(entry));
        }
      }
      writeTopics();
      List<TopicPartition> known = logs().stream().map(PartitionLog::partition).toList();
      for (Path unknown : directories.unknown(java.util.Set.copyOf(known))) {
        warnings.add(unknown + ": not of a topic in " + TopicsFile.FILE_NAME + "; left alone");
      }
    }
  }

  private List<PartitionLog> logs() {
    List<PartitionLog> logs = new ArrayList<>();
    topics.values().forEach(topic -> logs.addAll(topic.logs()));
    return logs;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public SourceKind kind() {
    return SourceKind.EMBEDDED;
  }

  @Override
  public boolean isReady() {
    return true;
  }

  @Override
  public List<String> warnings() {
    return List.copyOf(warnings);
  }

  @Override
  public List<TopicInfo> topics() {
    return topics.values().stream().map(EmbeddedTopic::info).toList();
  }

  @Override
  public TopicInfo topic(String topic) {
    return existing(topic).info();
  }

  @Override
  public LogSnapshot snapshot(TopicPartition partition) {
    return log(partition).snapshot();
  }

  @Override
  public long stalenessMs() {
    return 0;
  }

  @Override
  public TopicInfo createTopic(String topic, int partitionCount, Map<String, String> config) {
    TopicName.requireValid(topic);
    LogConfig.of(config);
    synchronized (lock) {
      requireNew(topic);
      TopicsFile.Entry entry =
          new TopicsFile.Entry(topic, new TopicId(UUID.randomUUID()), partitionCount, config);
      try {
        EmbeddedTopic made = directories.open(entry);
        topics.put(topic, made);
        writeTopics();
        return made.info();
      } catch (IOException e) {
        topics.remove(topic);
        throw failure("create topic '" + topic + "'", e);
      }
    }
  }

  @GuardedBy("lock")
  private void requireNew(String topic) {
    EmbeddedTopic other = topics.get(topic);
    if (other != null) {
      throw WhenceException.of(
          ErrorReason.TOPIC_EXISTS,
          "topic '" + topic + "' exists; delete it first, or choose another name",
          "topic",
          topic,
          "topic_id",
          other.entry().id());
    }
  }

  @Override
  public TopicInfo deleteTopic(String topic, Optional<TopicId> expected) {
    synchronized (lock) {
      EmbeddedTopic gone = existing(topic);
      TopicId id = gone.entry().id();
      if (expected.isPresent() && !expected.get().equals(id)) {
        throw WhenceException.of(
            ErrorReason.STALE_TOPIC,
            "topic_id: topic '" + topic + "' has the id " + id + ", not " + expected.get(),
            "topic",
            topic,
            "topic_id",
            id);
      }
      TopicsFile.Entry mark = new TopicsFile.Entry(topic, id, 0, Map.of());
      try {
        topics.remove(topic);
        deleting.add(mark);
        writeTopics();
        removeDirectories(gone, mark);
        return gone.info();
      } catch (IOException e) {
        throw failure("delete topic '" + topic + "'", e);
      }
    }
  }

  @GuardedBy("lock")
  private void removeDirectories(EmbeddedTopic gone, TopicsFile.Entry mark) throws IOException {
    for (PartitionLog log : gone.logs()) {
      log.abandon();
      data.forget(log.partition());
    }
    directories.remove(mark);
    deleting.remove(mark);
    writeTopics();
  }

  @GuardedBy("lock")
  private void writeTopics() throws IOException {
    List<TopicsFile.Entry> entries = new ArrayList<>(deleting);
    topics.values().forEach(topic -> entries.add(topic.entry()));
    data.topics().write(entries);
  }

  @Override
  public CompletionStage<OffsetRange> append(TopicPartition partition, AppendBatch batch) {
    return log(partition).append(batch);
  }

  @Override
  public long trim(TopicPartition partition, long beforeOffset) {
    try {
      return log(partition).trim(beforeOffset, data);
    } catch (IOException e) {
      throw failure("trim " + partition, e);
    }
  }

  /** Puts everything on disk and lets another process have the directory. */
  @Override
  public void close() throws IOException {
    maintenance.stop();
    Map<TopicPartition, Long> highWatermarks = new TreeMap<>(Maintenance.BY_TOPIC_AND_PARTITION);
    synchronized (lock) {
      try {
        for (PartitionLog log : logs()) {
          log.close();
          highWatermarks.put(log.partition(), log.snapshot().highWatermark());
        }
        data.markClean(highWatermarks);
      } finally {
        data.close();
      }
    }
  }

  private PartitionLog log(TopicPartition partition) {
    return existing(partition.topic()).log(partition.partition());
  }

  private EmbeddedTopic existing(String topic) {
    EmbeddedTopic found = topics.get(topic);
    if (found == null) {
      throw WhenceException.of(
          ErrorReason.UNKNOWN_TOPIC,
          "topic '" + topic + "' does not exist in source '" + name + "'; ListTopics shows all",
          "source",
          name,
          "topic",
          topic);
    }
    return found;
  }

  private WhenceException failure(String what, IOException cause) {
    return WhenceException.causedBy(
        cause, ErrorReason.STORAGE_ERROR, "could not " + what + ": " + cause, "path", data.path());
  }
}
