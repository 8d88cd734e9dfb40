package io.whence.source.embedded;

import io.whence.log.AppendBatch;
import io.whence.log.DataDirectory;
import io.whence.log.DelayedDeleter;
import io.whence.log.Disk;
import io.whence.log.LogEnvironment;
import io.whence.log.LogWatch;
import io.whence.log.PartitionLog;
import io.whence.log.Preload;
import io.whence.log.PreloadSource;
import io.whence.log.StorageFailures;
import io.whence.model.ErrorReason;
import io.whence.model.OffsetRange;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.source.InternalTopic;
import io.whence.source.PartitionLogs;
import io.whence.source.SourceKind;
import io.whence.source.TopicInfo;
import io.whence.source.WritableLogSource;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/** Logs that this server owns and writes. Thread safety: thread-safe. */
public final class EmbeddedSource implements WritableLogSource, PreloadSource, AutoCloseable {
  /** How much of an active segment is read again after a crash, at the most. */
  private static final int CHECKPOINT_BYTES = 16 << 20;

  private final String name;
  private final DataDirectory data;
  private final Executor opener;
  private final EmbeddedTopics topics;
  private final Maintenance maintenance;
  private final DelayedDeleter deleter;
  private final Preload preload;
  private List<String> warnings = List.of();

  private EmbeddedSource(String name, DataDirectory data, EmbeddedOptions options, Disk disk) {
    this.name = name;
    this.data = data;
    this.opener = options.opener();
    this.preload = options.memory().preload();
    this.deleter = new DelayedDeleter(options.scheduler(), options.deleteDelay());
    this.maintenance = new Maintenance(options, data, this::logs);
    LogEnvironment environment =
        new LogEnvironment(
            options.clock(),
            options.flusher(),
            deleter,
            CHECKPOINT_BYTES,
            options.events(),
            disk,
            options.memory());
    this.topics =
        new EmbeddedTopics(data, new TopicDirectories(data, environment, opener), options.events());
  }

  /**
   * Opens the data directory with all its logs, and makes one if there is none.
   *
   * @throws IOException if it can't be used; the message names path and rule
   */
  public static EmbeddedSource open(String name, EmbeddedOptions options) throws IOException {
    return open(name, options, Disk.REAL);
  }

  /**
   * Opens the data directory with its .log files on a disk of one's own, such as one that fails.
   *
   * @throws IOException if it can't be used; the message names path and rule
   */
  public static EmbeddedSource open(String name, EmbeddedOptions options, Disk disk)
      throws IOException {
    DataDirectory data = DataDirectory.open(options.data());
    EmbeddedSource source = new EmbeddedSource(name, data, options, disk);
    try {
      source.warnings = source.topics.load();
    } catch (IOException | RuntimeException e) {
      source.abandon(e);
      throw e;
    }
    source.maintenance.start();
    return source;
  }

  private void abandon(Exception cause) {
    try (data) {
      for (PartitionLog log : logs()) {
        log.abandon();
      }
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
  }

  @Override
  public List<Log> preloadedLogs() {
    return logs().stream()
        .map(log -> new Log(log.partition(), log.snapshot(), log::cutLoadedHead))
        .toList();
  }

  private List<PartitionLog> logs() {
    return topics.logs();
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
    List<String> all = new ArrayList<>(warnings);
    preload.warning().ifPresent(all::add);
    return List.copyOf(all);
  }

  @Override
  public List<TopicInfo> topics() {
    return topics.all().stream().map(EmbeddedTopic::info).toList();
  }

  @Override
  public TopicInfo topic(String topic) {
    return existing(topic).info();
  }

  @Override
  public PartitionLogs logs(String topic) {
    return existing(topic);
  }

  @Override
  public LogWatch watch(TopicPartition partition, long targetMs, Runnable onRecords) {
    return log(partition).watch(targetMs, onRecords);
  }

  /** Returns how many watches of logs of existing topics have not been closed. */
  public int watchCount() {
    return logs().stream().mapToInt(PartitionLog::watchCount).sum();
  }

  @Override
  public long stalenessMs() {
    return 0;
  }

  @Override
  public TopicInfo createTopic(String topic, int partitionCount, Map<String, String> config) {
    InternalNames.refuse(topic);
    try {
      return topics.create(topic, partitionCount, config).info();
    } catch (IOException e) {
      throw failure("create topic '" + topic + "'", e);
    }
  }

  @Override
  public TopicInfo deleteTopic(String topic, Optional<TopicId> expected) {
    InternalNames.refuse(topic);
    try {
      return topics.delete(() -> existing(topic), expected).info();
    } catch (IOException e) {
      throw failure("delete topic '" + topic + "'", e);
    }
  }

  @Override
  public CompletionStage<OffsetRange> append(TopicPartition partition, AppendBatch batch) {
    InternalNames.refuse(partition.topic());
    return log(partition).append(batch);
  }

  @Override
  public long trim(TopicPartition partition, long beforeOffset) {
    InternalNames.refuse(partition.topic());
    try {
      return log(partition).trim(beforeOffset, data);
    } catch (IOException e) {
      throw failure("trim " + partition, e);
    }
  }

  @Override
  public Optional<InternalTopic> internalTopic(String internal) {
    InternalNames.require(internal);
    return topics.find(internal).map(OwnInternalTopic::new);
  }

  @Override
  public InternalTopic createInternalTopic(
      String internal, int partitionCount, Map<String, String> config) {
    InternalNames.require(internal);
    try {
      return new OwnInternalTopic(topics.findOrCreate(internal, partitionCount, config));
    } catch (IOException e) {
      throw failure("create topic '" + internal + "'", e);
    }
  }

  /**
   * Puts everything on disk and lets another process have the directory.
   *
   * @throws IOException if not everything is known to be on disk; the first failure of several
   */
  @Override
  public void close() throws IOException {
    maintenance.stop();
    topics.close();
    try (data) {
      Map<TopicPartition, Long> highWatermarks = closeLogs();
      deleter.deletePending();
      data.markClean(highWatermarks);
    }
  }

  private Map<TopicPartition, Long> closeLogs() throws IOException {
    Map<TopicPartition, Long> highWatermarks = new TreeMap<>(Maintenance.BY_TOPIC_AND_PARTITION);
    InParallel.forEach(logs(), opener, PartitionLog::close);
    for (PartitionLog log : logs()) {
      highWatermarks.put(log.partition(), log.snapshot().highWatermark());
    }
    return highWatermarks;
  }

  private PartitionLog log(TopicPartition partition) {
    return existing(partition.topic()).log(partition.partition());
  }

  private EmbeddedTopic existing(String topic) {
    return topics
        .find(topic)
        .orElseThrow(
            () ->
                WhenceException.of(
                    ErrorReason.UNKNOWN_TOPIC,
                    "topic '"
                        + topic
                        + "' does not exist in source '"
                        + name
                        + "'; list the topics to see which do",
                    "source",
                    name,
                    "topic",
                    topic));
  }

  private WhenceException failure(String what, IOException cause) {
    return StorageFailures.of(cause, what, data.path());
  }
}
