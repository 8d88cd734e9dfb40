package io.whence.commit;

import io.whence.log.AppendBatch;
import io.whence.log.Disk;
import io.whence.log.LogEvents;
import io.whence.log.LogMemory;
import io.whence.model.Cancellation;
import io.whence.model.TopicPartition;
import io.whence.record.CompressionCodec;
import io.whence.record.SourceRecord;
import io.whence.source.embedded.EmbeddedOptions;
import io.whence.source.embedded.EmbeddedSource;
import io.whence.testkit.ManualClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/** A source of our own under test, with the offsets of its groups. Single-writer. */
final class GroupsDir implements AutoCloseable {
  static final long START_MS = 1_700_000_000_000L;
  static final String TOPIC = "orders";

  final ManualClock clock = new ManualClock(START_MS);
  private final ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(1);
  private final Path path;
  private final Executor flusher;
  private final Disk disk;
  private GroupOptions options =
      new GroupOptions(
          clock, Duration.ofDays(7), 10, Duration.ofMinutes(15), 1_000, 4_096, 8 << 20);
  EmbeddedSource source;
  EmbeddedGroupOffsets offsets;

  private GroupsDir(Path path, Executor flusher, Disk disk) {
    this.path = path;
    this.flusher = flusher;
    this.disk = disk;
  }

  /** Opens a directory whose flushes run on the thread that commits. */
  static GroupsDir open(Path path) {
    return open(path, Runnable::run);
  }

  static GroupsDir open(Path path, Executor flusher) {
    return open(path, flusher, Disk.REAL);
  }

  static GroupsDir open(Path path, Executor flusher, Disk disk) {
    GroupsDir dir = new GroupsDir(path, flusher, disk);
    dir.openAll();
    return dir;
  }

  private void openAll() {
    try {
      source =
          EmbeddedSource.open(
              "local",
              new EmbeddedOptions(
                  path,
                  clock,
                  flusher,
                  Runnable::run,
                  scheduler,
                  Duration.ofDays(1),
                  Duration.ofDays(1),
                  LogEvents.NOOP,
                  LogMemory.usual()),
              disk);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    offsets = EmbeddedGroupOffsets.open(source, options, Runnable::run);
  }

  /** Closes and opens again. */
  void reopen() {
    closeSource();
    openAll();
  }

  /** Opens again with other options. */
  void reopen(GroupOptions other) {
    options = other;
    reopen();
  }

  GroupOptions options() {
    return options;
  }

  /** Makes a topic with so many records in each partition. */
  GroupsDir withTopic(String topic, int partitions, int records) {
    source.createTopic(topic, partitions, Map.of());
    for (int partition = 0; partition < partitions && records > 0; partition++) {
      append(topic, partition, records);
    }
    return this;
  }

  void append(String topic, int partition, int records) {
    List<SourceRecord> made = new ArrayList<>();
    for (int i = 0; i < records; i++) {
      made.add(new SourceRecord(clock.millis(), null, new byte[] {1}, List.of()));
    }
    source
        .append(new TopicPartition(topic, partition), new AppendBatch(made, CompressionCodec.NONE))
        .toCompletableFuture()
        .join();
  }

  /** Commits one entry and waits. */
  CommitResult commit(String group, CommitEntry entry) {
    return commit(request(group, entry)).results().get(0);
  }

  /** Commits and waits. */
  CommitReply commit(CommitRequest request) {
    CommitReply reply = offsets.commit(request, Cancellation.NONE);
    reply.durable().toCompletableFuture().join();
    return reply;
  }

  static CommitRequest request(String group, CommitEntry... entries) {
    return new CommitRequest(
        group, List.of(entries), "", false, false, "tester", ChangeCause.COMMIT);
  }

  static CommitRequest request(String group, String requestId, CommitEntry... entries) {
    return new CommitRequest(
        group, List.of(entries), requestId, false, false, "tester", ChangeCause.COMMIT);
  }

  long committed(String group, int partition) {
    return offsets
        .group(group)
        .flatMap(g -> g.offset(TOPIC, partition))
        .map(CommittedOffset::nextOffset)
        .orElse(-1L);
  }

  private void closeSource() {
    try {
      source.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    closeSource();
    scheduler.shutdownNow();
  }
}
