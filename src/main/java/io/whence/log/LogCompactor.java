package io.whence.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.whence.model.ErrorReason;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Compacts a log: asks about the records of sealed segments, oldest first, rewrites what fits into
 * one segment outside of the lock of the log, and puts it in their place under the lock. Thread
 * safety: thread-safe; one compaction at a time.
 *
 * <p>Invariant: a record that is kept is in the log at every moment, also after a crash (I8).
 */
final class LogCompactor {
  /** Held while a compaction runs; taken before the lock of the log, never after. */
  private final Object running = new Object();

  private final Object lock;
  private final TopicPartition partition;
  private final LogConfig config;

  /** One at a time uses it, who holds {@code running}. */
  private final GroupSwap files;

  private final LongSupplier nowMs;

  @GuardedBy("lock")
  private final SegmentList segments;

  private final LogWriter writer;
  private volatile boolean stopped;

  /**
   * Makes a compactor.
   *
   * @param lock guards the segments
   * @param writer publishes them
   */
  LogCompactor(
      Object lock,
      Path directory,
      TopicPartition partition,
      LogConfig config,
      LogEnvironment environment,
      SegmentList segments,
      LogWriter writer) {
    this.lock = lock;
    this.partition = partition;
    this.config = config;
    this.files = new GroupSwap(directory, partition, config, environment);
    this.nowMs = environment.clock()::millis;
    this.segments = segments;
    this.writer = writer;
  }

  /** Compacts; see {@link PartitionLog#compact}. */
  long compact(RecordKeeper keeper) throws IOException {
    synchronized (running) {
      requireNotStopped();
      files.requireFinished();
      return GroupSwap.compact(
          soundSealed(), config, keeper, this::requireNotStopped, this::isThere, this::rewrite);
    }
  }

  /** Ends the compaction that runs, and lets none begin. Returns when it has ended. */
  void stop() {
    stopped = true;
    synchronized (running) {
      // Its files are gone or in place now, and another process may open the directory.
    }
  }

  private void requireNotStopped() {
    if (stopped) {
      throw WhenceException.of(
          ErrorReason.DRAINING,
          partition + ": the log is closed; what was not compacted stays as it is",
          "topic",
          partition.topic());
    }
  }

  private List<LogSegment> soundSealed() {
    synchronized (lock) {
      return segments.soundSealed();
    }
  }

  private boolean isThere(LogSegment segment) {
    synchronized (lock) {
      return segments.contains(List.of(segment));
    }
  }

  private long rewrite(CompactionGroup group) throws IOException {
    CleanedSegment cleaned = files.write(group, this::requireNotStopped);
    return swap(group, cleaned) ? group.droppedCount() : 0;
  }

  /** Returns whether the group was still there to be replaced. */
  private boolean swap(CompactionGroup group, CleanedSegment cleaned) throws IOException {
    synchronized (lock) {
      if (!segments.contains(group.segments())) {
        cleaned.discard(); // A trim or retention was faster.
        return false;
      }
      files.commit(cleaned);
      LogSegment replacement = cleaned.asSegment(nowMs.getAsLong());
      segments.replace(group.segments(), replacement);
      writer.publish();
      if (files.finish(group.segments(), cleaned, replacement)) {
        writer.publishChanged();
      }
      return true;
    }
  }
}
