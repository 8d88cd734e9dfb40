package io.whence.log;

import io.whence.model.Cancellation;
import io.whence.model.IsolationLevel;
import io.whence.model.TopicPartition;
import io.whence.testkit.ManualClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A followed log under test, with a disk in the hands of the test. Single-writer. */
final class Follower implements AutoCloseable {
  static final TopicPartition PARTITION = new TopicPartition("t", 0);

  final FaultyDisk disk = new FaultyDisk();
  final List<String> warnings = new ArrayList<>();
  final List<LogEnvironment.Deletion> deletions = new ArrayList<>();

  /** Runs when something is about to be deleted. */
  Runnable onDeletion = () -> {};

  private final Path directory;
  private final LogConfig config;
  private final long startOffset;
  private FollowedLog log;

  private Follower(Path directory, long startOffset, LogConfig config) {
    this.directory = directory;
    this.startOffset = startOffset;
    this.config = config;
    this.log = load();
  }

  /** Opens a log with settings as names and values in turn. */
  static Follower open(Path directory, long startOffset, Object... settings) {
    Map<String, String> config = new HashMap<>();
    for (int i = 0; i < settings.length; i += 2) {
      config.put(String.valueOf(settings[i]), String.valueOf(settings[i + 1]));
    }
    return new Follower(directory, startOffset, LogConfig.of(config));
  }

  private FollowedLog load() {
    LogEvents events =
        new LogEvents() {
          @Override
          public void warned(TopicPartition partition, String warning) {
            warnings.add(warning);
          }
        };
    LogEnvironment environment =
        new LogEnvironment(
            new ManualClock(1_000_000), Runnable::run, this::deleteLater, 16 << 20, events, disk);
    try {
      return FollowedLog.open(
          directory, PARTITION, config, environment, FollowedLogOptions.startingAt(startOffset));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void deleteLater(LogEnvironment.Deletion deletion) {
    deletions.add(deletion);
    onDeletion.run();
  }

  FollowedLog log() {
    return log;
  }

  /** Appends batches of a leader that has nothing more, and no open transaction. */
  Follower append(byte[]... batches) throws IOException {
    return appendWith(Long.MAX_VALUE, batches);
  }

  /** Appends batches of a leader that has nothing more. */
  Follower appendWith(long lastStableOffset, byte[]... batches) throws IOException {
    log.append(
        joined(batches), new FollowedEnds(log.firstOffset(), endOf(batches), lastStableOffset));
    return this;
  }

  private static long endOf(byte[]... batches) {
    ByteBuffer last = ByteBuffer.wrap(batches[batches.length - 1]);
    return last.getLong(0) + last.getInt(23) + 1;
  }

  static ByteBuffer joined(byte[]... batches) {
    int size = 0;
    for (byte[] batch : batches) {
      size += batch.length;
    }
    ByteBuffer bytes = ByteBuffer.allocate(size);
    for (byte[] batch : batches) {
      bytes.put(batch);
    }
    return bytes.flip();
  }

  /** Closes and opens again. */
  Follower reopen() throws IOException {
    log.close();
    log = load();
    return this;
  }

  long position() {
    return log.position().nextOffset();
  }

  /** Returns the offsets of all records that readers of an isolation level see. */
  List<Long> offsets(IsolationLevel isolation) {
    return offsets(log.snapshot(), isolation);
  }

  static List<Long> offsets(LogSnapshot log, IsolationLevel isolation) {
    return log
        .read(log.logStartOffset(), Integer.MAX_VALUE, Long.MAX_VALUE, isolation, Cancellation.NONE)
        .stream()
        .map(record -> record.stamp().offset())
        .toList();
  }

  @Override
  public void close() throws IOException {
    log.close();
  }
}
