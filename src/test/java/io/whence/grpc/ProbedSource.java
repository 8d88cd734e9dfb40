package io.whence.grpc;

import io.whence.log.AppendBatch;
import io.whence.log.LogEvents;
import io.whence.log.LogMemory;
import io.whence.log.LogSnapshot;
import io.whence.log.LogWatch;
import io.whence.model.OffsetRange;
import io.whence.model.TopicPartition;
import io.whence.record.CompressionCodec;
import io.whence.record.SourceRecord;
import io.whence.source.LogSource;
import io.whence.source.PartitionLogs;
import io.whence.source.SourceKind;
import io.whence.source.TopicInfo;
import io.whence.source.embedded.EmbeddedOptions;
import io.whence.source.embedded.EmbeddedSource;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;

/** A real source that tells when a log is looked at. Thread safety: thread-safe. */
final class ProbedSource implements LogSource, AutoCloseable {
  private final ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(1);
  private final EmbeddedSource real;
  private final Map<String, TopicInfo> narrowByWide = new ConcurrentHashMap<>();
  private volatile Consumer<TopicPartition> probe = partition -> {};
  private volatile boolean follower;

  ProbedSource(Path directory, long nowMs) throws IOException {
    real =
        EmbeddedSource.open(
            "local",
            new EmbeddedOptions(
                directory,
                () -> Instant.ofEpochMilli(nowMs),
                Runnable::run,
                Runnable::run,
                scheduler,
                Duration.ofDays(1),
                Duration.ofDays(1),
                LogEvents.NOOP,
                LogMemory.usual()));
  }

  /** Calls back before each snapshot. */
  void probe(Consumer<TopicPartition> beforeSnapshot) {
    probe = beforeSnapshot;
  }

  /** Is one whose logs follow others, from now on. */
  void follow() {
    follower = true;
  }

  @Override
  public boolean isFollower() {
    return follower;
  }

  /** Makes a topic of many partitions, which are in turn the first few of another one. */
  void widen(String topic, String narrow, int partitionCount) {
    narrowByWide.put(topic, new TopicInfo(narrow, null, partitionCount, Map.of()));
  }

  private TopicPartition real(TopicPartition partition) {
    TopicInfo narrow = narrowByWide.get(partition.topic());
    return narrow == null
        ? partition
        : new TopicPartition(
            narrow.name(), partition.partition() % real.topic(narrow.name()).partitionCount());
  }

  void createTopic(String topic, int partitionCount) {
    real.createTopic(topic, partitionCount, Map.of());
  }

  void deleteTopic(String topic) {
    real.deleteTopic(topic, Optional.empty());
  }

  void trim(String topic, int partition, long beforeOffset) {
    real.trim(new TopicPartition(topic, partition), beforeOffset);
  }

  OffsetRange append(String topic, int partition, long... timestampsMs) {
    List<SourceRecord> records =
        Arrays.stream(timestampsMs)
            .mapToObj(ms -> new SourceRecord(ms, null, new byte[20], List.of()))
            .toList();
    return real.append(
            new TopicPartition(topic, partition), new AppendBatch(records, CompressionCodec.NONE))
        .toCompletableFuture()
        .join();
  }

  @Override
  public String name() {
    return real.name();
  }

  @Override
  public SourceKind kind() {
    return real.kind();
  }

  @Override
  public boolean isReady() {
    return real.isReady();
  }

  @Override
  public List<String> warnings() {
    return real.warnings();
  }

  @Override
  public List<TopicInfo> topics() {
    return real.topics();
  }

  @Override
  public TopicInfo topic(String topic) {
    TopicInfo narrow = narrowByWide.get(topic);
    return narrow == null
        ? real.topic(topic)
        : new TopicInfo(topic, null, narrow.partitionCount(), Map.of());
  }

  @Override
  public PartitionLogs logs(String topic) {
    PartitionLogs logs = real.logs(real(new TopicPartition(topic, 0)).topic());
    return new PartitionLogs() {
      @Override
      public int count() {
        return topic(topic).partitionCount();
      }

      @Override
      public LogSnapshot snapshot(int partition) {
        TopicPartition asked = new TopicPartition(topic, partition);
        probe.accept(asked);
        return logs.snapshot(real(asked).partition());
      }
    };
  }

  @Override
  public LogWatch watch(TopicPartition partition, long targetMs, Runnable onRecords) {
    return real.watch(real(partition), targetMs, onRecords);
  }

  /** Returns how many watches of logs have not been closed. */
  int watchCount() {
    return real.watchCount();
  }

  @Override
  public long stalenessMs() {
    return real.stalenessMs();
  }

  @Override
  public void close() throws IOException {
    real.close();
    scheduler.shutdownNow();
  }
}
