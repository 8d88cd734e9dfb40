package io.whence.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.model.Cancellation;
import io.whence.model.IsolationLevel;
import io.whence.model.OffsetRange;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.record.CompressionCodec;
import io.whence.record.SourceRecord;
import io.whence.testkit.ExactAnswers;
import io.whence.testkit.OracleRecord;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A log of our own under test, with a clock, a disk and flushes in the hands of the test, and the
 * records that it must hold. Thread safety: single-writer.
 */
final class OwnedLog implements AutoCloseable {
  static final TopicPartition PARTITION = new TopicPartition("t", 0);

  final FaultyDisk disk = new FaultyDisk();
  final List<String> warnings = new ArrayList<>();
  final List<String> damages = new ArrayList<>();
  final List<String> events = new ArrayList<>();
  final List<Integer> flushedBatches = new ArrayList<>();
  final List<OracleRecord> records = new ArrayList<>();
  final List<LogEnvironment.Deletion> deletions = new ArrayList<>();
  final Path directory;

  /** Runs after each segment that is marked as deleted. */
  Runnable afterDeletion = () -> {};

  long recoveryPoint;
  long storedStart;
  int checkpointBytes = 16 << 20;
  LogMemory memory = LogMemory.usual();
  CompressionCodec codec = CompressionCodec.NONE;
  private final LogConfig config;
  private final AtomicLong nowMs = new AtomicLong(1_000_000);
  private final Deque<Runnable> heldFlushes = new ArrayDeque<>();
  private boolean holding;
  boolean rejecting;
  private PartitionLog log;

  private OwnedLog(Path directory, LogConfig config) {
    this.directory = directory;
    this.config = config;
  }

  /** Opens a log with settings as names and values in turn. */
  static OwnedLog open(Path directory, Object... settings) {
    Map<String, String> config = new HashMap<>();
    config.put("message.timestamp.after.max.ms", String.valueOf(Long.MAX_VALUE));
    for (int i = 0; i < settings.length; i += 2) {
      config.put(String.valueOf(settings[i]), String.valueOf(settings[i + 1]));
    }
    OwnedLog owned = new OwnedLog(directory, LogConfig.of(config));
    owned.load();
    return owned;
  }

  /** Returns memory in which there is room for all timelines. */
  static LogMemory memoryOf(BlockIndexCache cache) {
    return new LogMemory(cache, new Preload(PreloadOptions.UNBOUNDED, PreloadEvents.NOOP));
  }

  PartitionLog log() {
    return log;
  }

  LogSnapshot snapshot() {
    return log.snapshot();
  }

  void setClock(long ms) {
    nowMs.set(ms);
  }

  /** Opens the log as after a crash: without a close before. */
  OwnedLog load() {
    LogEvents listener = new Listener();
    InstantSource clock = () -> Instant.ofEpochMilli(nowMs.get());
    LogEnvironment environment =
        new LogEnvironment(
            clock, this::runFlush, this::delete, checkpointBytes, listener, disk, memory);
    try {
      Files.createDirectories(directory);
      log =
          PartitionLogLoader.open(
              directory, PARTITION, config, environment, recoveryPoint, storedStart);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return this;
  }

  private void delete(LogEnvironment.Deletion deletion) {
    deletions.add(deletion);
    afterDeletion.run();
  }

  OwnedLog reopen() {
    close();
    return load();
  }

  private void runFlush(Runnable flush) {
    if (rejecting) {
      throw new RejectedExecutionException("stopping");
    }
    if (holding) {
      heldFlushes.add(flush);
    } else {
      flush.run();
    }
  }

  /** Keeps flushes back until {@link #releaseFlushes}. */
  void holdFlushes() {
    holding = true;
  }

  void releaseFlushes() {
    holding = false;
    while (!heldFlushes.isEmpty()) {
      heldFlushes.remove().run();
    }
  }

  /** Begins to append a batch of records with these timestamps; negative for none. */
  CompletableFuture<OffsetRange> start(long... timestampsMs) {
    List<SourceRecord> batch =
        Arrays.stream(timestampsMs)
            .mapToObj(ms -> new SourceRecord(ms, null, new byte[20], List.of()))
            .toList();
    return log.append(new AppendBatch(batch, codec)).toCompletableFuture();
  }

  /** Appends a batch, which must succeed, and expects its records from now on. */
  OffsetRange append(long... timestampsMs) {
    OffsetRange range = start(timestampsMs).join();
    expect(range, timestampsMs);
    return range;
  }

  /** Appends a record with a value. */
  void appendValue(byte[] value, long timestampMs) {
    List<SourceRecord> batch = List.of(new SourceRecord(timestampMs, null, value, List.of()));
    expect(log.append(new AppendBatch(batch, codec)).toCompletableFuture().join(), timestampMs);
  }

  void expect(OffsetRange range, long... timestampsMs) {
    assertThat(range.endOffset() - range.startOffset()).isEqualTo(timestampsMs.length);
    for (int i = 0; i < timestampsMs.length; i++) {
      records.add(OracleRecord.data(range.startOffset() + i, timestampsMs[i]));
    }
  }

  /**
   * Mends the disk, closes and opens again. A crash on a disk that refused a write and its cut
   * alike may bring back what was refused, which no log can help.
   */
  void reopenMended() {
    disk.heal();
    reopen();
  }

  /** Appends a batch that must fail. */
  WhenceException failingAppend(long... timestampsMs) {
    return failureOf(start(timestampsMs));
  }

  static WhenceException failureOf(CompletableFuture<OffsetRange> append) {
    assertThat(append).isCompletedExceptionally();
    try {
      append.join();
    } catch (CompletionException e) {
      return (WhenceException) e.getCause();
    }
    throw new AssertionError("did not fail");
  }

  long trim(long beforeOffset) {
    try {
      return log.trim(beforeOffset, (partition, offset) -> storedStart = offset);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void retain() {
    try {
      log.retain((partition, offset) -> storedStart = offset);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  List<Long> baseOffsets() {
    return snapshot().segments().stream().map(SegmentInfo::baseOffset).toList();
  }

  Path file(long baseOffset, String suffix) {
    return SegmentNames.path(directory, baseOffset, suffix);
  }

  /** Fails if the log doesn't answer and read as the records say that are expected. */
  void assertExact() {
    assertExact(snapshot(), records);
  }

  static void assertExact(LogSnapshot snapshot, List<OracleRecord> records) {
    ExactAnswers.assertExact(snapshot, records, new Random(1));
    List<OracleRecord> visible =
        records.stream().filter(r -> r.offset() >= snapshot.logStartOffset()).toList();
    assertThat(
            snapshot.read(
                snapshot.logStartOffset(),
                Integer.MAX_VALUE,
                Long.MAX_VALUE,
                IsolationLevel.READ_UNCOMMITTED,
                Cancellation.NONE))
        .extracting(record -> record.stamp().offset(), record -> record.stamp().timestampMs())
        .containsExactlyElementsOf(
            visible.stream()
                .map(r -> org.assertj.core.groups.Tuple.tuple(r.offset(), r.timestampMs()))
                .toList());
  }

  @Override
  public void close() {
    try {
      log.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private final class Listener implements LogEvents {
    @Override
    public void flushed(TopicPartition partition, int batchCount, long nanos) {
      flushedBatches.add(batchCount);
    }

    @Override
    public void rolled(TopicPartition partition, long baseOffset) {
      events.add("rolled " + baseOffset);
    }

    @Override
    public void trimmed(TopicPartition partition, long logStartOffset, String reason) {
      events.add("trimmed " + logStartOffset + " " + reason);
    }

    @Override
    public void retentionBlocked(TopicPartition partition, long baseOffset, long timestampMs) {
      events.add("blocked " + baseOffset + " " + timestampMs);
    }

    @Override
    public void warned(TopicPartition partition, String warning) {
      warnings.add(warning);
    }

    @Override
    public void damaged(Path log, long position, String expected, String found) {
      damages.add(log + " at byte " + position + ": expected " + expected + ", found " + found);
    }
  }
}
