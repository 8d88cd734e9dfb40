package io.whence.grpc;

import io.whence.log.AppendBatch;
import io.whence.log.LogEvents;
import io.whence.log.LogSnapshot;
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
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;

/** A real source that tells when a log is looked at. Thread safety: thread-safe. */
final class ProbedSource implements LogSource, AutoCloseable {
  private final ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(1);
  private final EmbeddedSource real;
  private volatile Consumer<TopicPartition> probe = partition -> {};

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
                LogEvents.NOOP));
  }

  /** Calls back before each snapshot. */
  void probe(Consumer<TopicPartition> beforeSnapshot) {
    probe = beforeSnapshot;
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
    return real.topic(topic);
  }

  @Override
  public PartitionLogs logs(String topic) {
    PartitionLogs logs = real.logs(topic);
    return new PartitionLogs() {
      @Override
      public int count() {
        return logs.count();
      }

      @Override
      public LogSnapshot snapshot(int partition) {
        probe.accept(new TopicPartition(topic, partition));
        return logs.snapshot(partition);
      }
    };
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
