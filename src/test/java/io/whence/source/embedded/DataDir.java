package io.whence.source.embedded;

import io.whence.log.AppendBatch;
import io.whence.log.LogEvents;
import io.whence.log.LogMemory;
import io.whence.model.OffsetRange;
import io.whence.model.TopicPartition;
import io.whence.record.CompressionCodec;
import io.whence.record.SourceRecord;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicLong;

/** Sources of our own under test, whose retention runs only when told. Thread-safe. */
final class DataDir implements AutoCloseable {
  /** Timestamps of any year. */
  static final Map<String, String> ANY_TIME =
      Map.of("message.timestamp.after.max.ms", String.valueOf(Long.MAX_VALUE));

  final AtomicLong nowMs = new AtomicLong(1_000_000);
  private final ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(1);

  EmbeddedSource open(Path path) throws IOException {
    return open(path, LogEvents.NOOP);
  }

  EmbeddedSource open(Path path, LogEvents events) throws IOException {
    InstantSource clock = () -> Instant.ofEpochMilli(nowMs.get());
    return EmbeddedSource.open(
        "local",
        new EmbeddedOptions(
            path,
            clock,
            Runnable::run,
            Runnable::run,
            scheduler,
            Duration.ofDays(1),
            Duration.ofDays(1),
            events,
            LogMemory.usual()));
  }

  static OffsetRange append(EmbeddedSource source, String topic, int partition, long... times) {
    List<SourceRecord> records =
        Arrays.stream(times)
            .mapToObj(ms -> new SourceRecord(ms, null, new byte[20], List.of()))
            .toList();
    return source
        .append(
            new TopicPartition(topic, partition), new AppendBatch(records, CompressionCodec.NONE))
        .toCompletableFuture()
        .join();
  }

  @Override
  public void close() {
    scheduler.shutdownNow();
  }
}
