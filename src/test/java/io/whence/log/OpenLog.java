package io.whence.log;

import io.whence.model.OffsetRange;
import io.whence.model.TopicPartition;
import io.whence.record.CompressionCodec;
import io.whence.record.SourceRecord;
import io.whence.testkit.ManualClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * A log of our own for tests, with a clock and a disk that a test moves. Thread safety:
 * single-writer.
 */
public final class OpenLog implements LogEvents, AutoCloseable {
  /** The partition of all such logs. */
  public static final TopicPartition PARTITION = new TopicPartition("t", 0);

  /** Of a batch. Two batches don't fit into a segment of 1,024 bytes, the smallest there is. */
  private static final int VALUE_BYTES = 600;

  private static final int CHECKPOINT_BYTES = 4096;

  private final ManualClock clock;
  private final PartitionLog log;
  private final List<String> heard = new ArrayList<>();
  private final Deque<Runnable> flushes = new ArrayDeque<>();
  private boolean diskPaused;

  /**
   * Opens a log.
   *
   * @param settings names and values in turn
   */
  public OpenLog(Path directory, ManualClock clock, Object... settings) {
    this.clock = clock;
    Map<String, String> config = new HashMap<>();
    for (int i = 0; i < settings.length; i += 2) {
      config.put(settings[i].toString(), settings[i + 1].toString());
    }
    LogEnvironment environment =
        new LogEnvironment(clock, this::runOnDisk, removed -> {}, CHECKPOINT_BYTES, this);
    try {
      log = PartitionLogLoader.open(directory, PARTITION, LogConfig.of(config), environment, 0, 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the log. */
  public PartitionLog log() {
    return log;
  }

  /** Appends one batch and returns when it is on disk, or at once while the disk is paused. */
  public CompletableFuture<OffsetRange> append(long... timestampsMs) {
    List<SourceRecord> records =
        Arrays.stream(timestampsMs)
            .mapToObj(
                timestampMs ->
                    new SourceRecord(
                        timestampMs, null, new byte[VALUE_BYTES / timestampsMs.length], List.of()))
            .toList();
    return log.append(new AppendBatch(records, CompressionCodec.NONE)).toCompletableFuture();
  }

  /** Lets time pass, and retention look. */
  public void retainAfter(long ms) {
    clock.advance(ms);
    try {
      log.retain((partition, logStartOffset) -> {});
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Keeps from now on what is to be put on disk waiting. */
  public void pauseDisk() {
    diskPaused = true;
  }

  /** Puts on disk what waits, and from now on everything. */
  public void resumeDisk() {
    diskPaused = false;
    while (!flushes.isEmpty()) {
      flushes.remove().run();
    }
  }

  /** Returns what was told of: what happened and its numbers, in order. */
  public List<String> heard() {
    return List.copyOf(heard);
  }

  /** Returns the base offsets of the segments. */
  public List<Long> baseOffsets() {
    return log.snapshot().segments().stream().map(SegmentInfo::baseOffset).toList();
  }

  @Override
  public void retentionBlocked(TopicPartition partition, long baseOffset, long timestampMs) {
    heard.add("retentionBlocked " + baseOffset + " " + timestampMs);
  }

  @Override
  public void trimmed(TopicPartition partition, long logStartOffset, String reason) {
    heard.add("trimmed " + logStartOffset + " " + reason);
  }

  @Override
  public void warned(TopicPartition partition, String warning) {
    heard.add("warned " + warning);
  }

  @Override
  public void close() {
    resumeDisk();
    try {
      log.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void runOnDisk(Runnable flush) {
    if (diskPaused) {
      flushes.add(flush);
    } else {
      flush.run();
    }
  }
}
