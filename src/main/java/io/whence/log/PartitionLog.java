package io.whence.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.whence.model.ErrorReason;
import io.whence.model.OffsetRange;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.timeline.SegmentTimeline;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The log of one partition that this server owns. Appends go to the end under one lock and wait for
 * the disk outside of it, all that wait together for one flush; the high watermark is what is on
 * disk, and only that is ever published. Readers take {@link #snapshot} and never wait. Thread
 * safety: thread-safe.
 *
 * <p>Invariants: everything below the published high watermark is on disk (I1); a batch that was
 * not acknowledged is cut off before anything else is appended (I2).
 */
public final class PartitionLog {
  static final int LEADER_EPOCH = 0;

  private final Object lock = new Object();
  private final Path directory;
  private final TopicPartition partition;
  private final LogConfig config;
  private final LogEnvironment environment;

  @GuardedBy("lock")
  private final SegmentList segments;

  private final LogWriter writer;
  private final LogCompactor compactor;

  /**
   * Takes over segments that are on disk.
   *
   * @param loaded what was found in the directory; its last segment is appended to
   */
  PartitionLog(
      Path directory,
      TopicPartition partition,
      LogConfig config,
      LogEnvironment environment,
      LoadedSegments loaded) {
    this.directory = directory;
    this.partition = partition;
    this.config = config;
    this.environment = environment;
    this.segments = new SegmentList(loaded);
    this.writer = new LogWriter(lock, directory, partition, config, environment, segments);
    this.compactor =
        new LogCompactor(lock, directory, partition, config, environment, segments, writer);
  }

  /** Returns the log as it is at this moment. */
  public LogSnapshot snapshot() {
    return writer.snapshot();
  }

  /** Returns the partition. */
  public TopicPartition partition() {
    return partition;
  }

  /** Returns the settings. */
  public LogConfig config() {
    return config;
  }

  /** Returns the directory. */
  public Path directory() {
    return directory;
  }

  /**
   * Appends a batch. The stage completes with the offsets of its records when they are on disk.
   *
   * @return fails with a {@link WhenceException} when the batch is not in the log
   */
  public CompletionStage<OffsetRange> append(AppendBatch batch) {
    return append(batch, OptionalLong.empty());
  }

  /**
   * Appends a batch if its first record gets the expected offset. The stage completes with the
   * offsets of its records when they are on disk.
   *
   * @param expectedBaseOffset the end of all that was appended, on disk or not; exclusive
   * @return fails with a {@link WhenceException} when the batch is not in the log; with {@code
   *     CONFLICT} when another offset comes next
   */
  public CompletionStage<OffsetRange> append(AppendBatch batch, long expectedBaseOffset) {
    return append(batch, OptionalLong.of(expectedBaseOffset));
  }

  private CompletionStage<OffsetRange> append(AppendBatch batch, OptionalLong expectedBaseOffset) {
    CompletableFuture<OffsetRange> done = new CompletableFuture<>();
    writer.append(batch, expectedBaseOffset, done);
    return done;
  }

  /**
   * Asks to be told of new records: each time that some are published of which one may be at or
   * after a time, and when the log is abandoned. Who asks looks at the {@link #snapshot} after
   * this, not before, and misses nothing.
   *
   * @param targetMs the time, in epoch milliseconds
   * @param onRecords is run by a thread of the log, outside of its lock; must return at once
   */
  public LogWatch watch(long targetMs, Runnable onRecords) {
    return writer.watchers().add(targetMs, onRecords);
  }

  /** Returns how many watches of the log have not been closed. */
  public int watchCount() {
    return writer.watchers().count();
  }

  /**
   * Raises the log start offset; a lower one changes nothing.
   *
   * @param store is called, before anything changes, with the new log start offset
   * @return the log start offset as it is now
   * @throws WhenceException {@code OFFSET_OUT_OF_RANGE} above the high watermark
   */
  public long trim(long newLogStartOffset, LogStartStore store) throws IOException {
    long logStartOffset;
    synchronized (lock) {
      writer.requireOpen();
      if (newLogStartOffset > segments.highWatermark()) {
        throw aboveHighWatermark(newLogStartOffset);
      }
      raiseStart(newLogStartOffset, "trim", store);
      logStartOffset = segments.logStartOffset();
    }
    cutLoadedHead();
    return logStartOffset;
  }

  @GuardedBy("lock")
  private WhenceException aboveHighWatermark(long offset) {
    return WhenceException.of(
        ErrorReason.OFFSET_OUT_OF_RANGE,
        "before_offset: " + offset + " is above the high watermark " + segments.highWatermark(),
        "offset",
        offset,
        "log_start_offset",
        segments.logStartOffset(),
        "end_offset",
        segments.highWatermark());
  }

  /**
   * Deletes segments that are too old or too much, oldest first, as Kafka does.
   *
   * @param store is called, before anything changes, with the new log start offset
   */
  public void retain(LogStartStore store) throws IOException {
    try {
      synchronized (lock) {
        if (writer.isStopped()) {
          return;
        }
        segments.cutIfBroken();
        Retention retention =
            new Retention(partition, config, environment.clock().millis(), environment.events());
        // With what waits for the disk, which a roll puts there: it may be too young to go.
        List<SegmentView> views = segments.writtenViews();
        int count = retention.deletableSegments(views);
        if (count == 0) {
          return;
        }
        if (count == views.size()) {
          writer.roll();
        }
        raiseStart(
            segments.startAfter(count), "retention", (p, offset) -> storeIfPossible(offset, store));
      }
    } finally {
      writer.tellSettled();
    }
  }

  /** Without it, some of what was deleted may come back after a crash, and is deleted again. */
  private void storeIfPossible(long offset, LogStartStore store) {
    try {
      store.store(partition, offset);
    } catch (IOException e) {
      // A full disk, perhaps: all the more must it be freed.
      environment.events().warned(partition, "could not store the log start offset: " + e);
    }
  }

  @GuardedBy("lock")
  private void raiseStart(long newLogStartOffset, String reason, LogStartStore store)
      throws IOException {
    if (newLogStartOffset <= segments.logStartOffset()) {
      return;
    }
    store.store(partition, newLogStartOffset);
    List<LogSegment> below = segments.raiseStart(newLogStartOffset);
    writer.publish();
    environment.events().trimmed(partition, newLogStartOffset, reason);
    for (LogSegment segment : below) {
      try {
        environment.deleter().deleteLater(segment.markDeleted());
      } catch (IOException e) {
        // It no longer counts, since the log starts above it; the next start deletes it.
        environment.events().warned(partition, "could not delete a segment: " + e);
      }
    }
  }

  /**
   * Rewrites the segments that are no longer appended to, up to the first with damage, without the
   * records that need not be kept, and merges small ones. Kept records keep their offsets. Appends
   * and reads go on meanwhile; a second compaction waits for the first.
   *
   * @param keeper decides; asked about each record of those segments once, in order of offsets. It
   *     may drop a record only for the sake of others that are on disk.
   * @return how many records were removed
   * @throws IOException if it could not go on; what was not replaced by then is as it was
   * @throws WhenceException {@code DAMAGED_LOG} likewise, at damage that was not known; {@code
   *     DRAINING} when the log is closed
   */
  public long compact(RecordKeeper keeper) throws IOException {
    long removed = compactor.compact(keeper);
    cutLoadedHead();
    return removed;
  }

  /**
   * Lets the timeline begin where the log does of the segment that the log begins in, if it is in
   * memory. Reads the log, outside of its lock; what changed meanwhile is left as it is.
   */
  public void cutLoadedHead() {
    LogSnapshot seen = snapshot();
    Optional<SegmentView> head = HeadCut.due(seen);
    if (head.isEmpty()) {
      return;
    }
    if (head.get().equals(seen.segment(seen.segmentCount() - 1))) {
      cutGrowingHead(head.get(), seen.logStartOffset());
    } else {
      HeadCut.of(head.get(), seen.logStartOffset(), Long.MAX_VALUE)
          .map(SegmentTimeline::compacted)
          .ifPresent(rest -> replaceHead(seen, head.get(), rest));
    }
  }

  private void cutGrowingHead(SegmentView head, long logStartOffset) {
    long knownFrom = head.timeline().orElse(SegmentTimeline.EMPTY).knownFrom(logStartOffset);
    HeadCut.hidden(head, logStartOffset, knownFrom)
        .ifPresent(
            hidden -> {
              synchronized (lock) {
                if (!writer.isStopped()
                    && segments.cutGrowingHead(logStartOffset, knownFrom, hidden)) {
                  writer.publish();
                }
              }
            });
  }

  private void replaceHead(LogSnapshot seen, SegmentView head, SegmentTimeline rest) {
    synchronized (lock) {
      if (!writer.isStopped() && segments.replaceHead(head, seen.logStartOffset(), rest)) {
        writer.publish();
      }
    }
  }

  /**
   * Waits for what is being written, puts everything on disk and takes no more appends.
   *
   * @throws IOException if not everything is known to be on disk as it should be
   */
  public void close() throws IOException {
    compactor.stop();
    try {
      synchronized (lock) {
        if (writer.isStopped()) {
          return;
        }
        writer.stop(ErrorReason.DRAINING);
        try {
          segments.cutIfBroken();
          segments.active().seal();
          writeEpoch();
        } finally {
          segments.retire();
        }
      }
    } finally {
      writer.tellSettled();
    }
  }

  @GuardedBy("lock")
  private void writeEpoch() throws IOException {
    LeaderEpochCheckpoint epochs =
        new LeaderEpochCheckpoint(directory.resolve(LeaderEpochCheckpoint.FILE_NAME));
    if (segments.highWatermark() > segments.startAfter(0) && epochs.read().isEmpty()) {
      epochs.write(List.of(new EpochEntry(LEADER_EPOCH, segments.startAfter(0))));
    }
  }

  /** Takes no more appends and lets go of the files, which are about to be deleted. */
  public void abandon() throws IOException {
    compactor.stop();
    try {
      synchronized (lock) {
        writer.stop(ErrorReason.STALE_TOPIC);
        segments.retire();
      }
    } finally {
      writer.tellSettled();
      writer.watchers().tellAll();
    }
  }

  /** Makes log start offsets durable. */
  @FunctionalInterface
  public interface LogStartStore {
    /** Returns when the offset is on disk. */
    void store(TopicPartition partition, long logStartOffset) throws IOException;
  }
}
