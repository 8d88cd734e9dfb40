package io.whence.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.whence.model.ErrorReason;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

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
  private final Path directory;
  private final TopicPartition partition;
  private final LogConfig config;
  private final LogEnvironment environment;

  @GuardedBy("lock")
  private final SegmentList segments;

  private final LogWriter writer;
  private volatile boolean stopped;

  /** Files lie there that only the next start puts right; more of them might contradict these. */
  @GuardedBy("running")
  private boolean unfinished;

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
    this.directory = directory;
    this.partition = partition;
    this.config = config;
    this.environment = environment;
    this.segments = segments;
    this.writer = writer;
  }

  /** Compacts; see {@link PartitionLog#compact}. */
  long compact(RecordKeeper keeper) throws IOException {
    synchronized (running) {
      requireFinished();
      long removed = 0;
      CompactionGroup group = new CompactionGroup(config);
      for (LogSegment segment : soundSealed()) {
        SegmentSurvey survey = SegmentSurvey.of(segment, keeper, this::requireNotStopped);
        if (!group.tryAdd(survey)) {
          removed += rewrite(group);
          group = new CompactionGroup(config);
          group.tryAdd(survey);
        }
      }
      return removed + rewrite(group);
    }
  }

  /** Ends the compaction that runs, and lets none begin. Returns when it has ended. */
  void stop() {
    stopped = true;
    synchronized (running) {
      // Its files are gone or in place now, and another process may open the directory.
    }
  }

  @GuardedBy("running")
  private void requireFinished() throws IOException {
    requireNotStopped();
    if (unfinished) {
      throw new IOException(
          partition + ": an earlier compaction is finished by the next start, and must be first");
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

  /** Replaces a group by what is kept of it. Returns how many records are gone. */
  @GuardedBy("running")
  private long rewrite(CompactionGroup group) throws IOException {
    if (!group.isDue()) {
      return 0;
    }
    CleanedSegment cleaned =
        CleanedSegment.create(directory, group.baseOffset(), config, environment);
    try {
      int last = group.surveys().size() - 1;
      for (int i = 0; i <= last; i++) {
        cleaned.addKept(group.surveys().get(i), i == last, this::requireNotStopped);
      }
      cleaned.finish();
    } catch (IOException | RuntimeException e) {
      cleaned.discard(e);
      throw e;
    }
    return swap(group, cleaned) ? group.droppedCount() : 0;
  }

  /** Returns whether the group was still there to be replaced. */
  @GuardedBy("running")
  private boolean swap(CompactionGroup group, CleanedSegment cleaned) throws IOException {
    synchronized (lock) {
      if (!segments.contains(group.segments())) {
        cleaned.discard(); // A trim or retention was faster.
        return false;
      }
      commit(cleaned);
      LogSegment replacement = cleaned.asSegment(environment.clock().millis());
      segments.replace(group.segments(), replacement);
      writer.publish();
      finish(group, cleaned, replacement);
      return true;
    }
  }

  /** Deletes what was replaced. If this fails, the log is right all the same. */
  @GuardedBy("running")
  private void finish(CompactionGroup group, CleanedSegment cleaned, LogSegment replacement) {
    try {
      // The oldest goes first: as long as it is there, a start knows that all are.
      for (LogSegment old : group.segments()) {
        environment.deleter().deleteLater(old.markDeleted());
      }
      cleaned.finishSwap();
    } catch (IOException e) {
      unfinished = true;
      warn("the next start finishes a compaction that could not be finished: " + e);
      return;
    }
    try {
      replacement.seal();
      replacement.releaseBlocks(environment.memory());
      writer.publishChanged();
    } catch (IOException e) {
      warn("could not write indexes: " + e); // Only copies of what the log says.
    }
  }

  private void warn(String warning) {
    environment.events().warned(partition, warning);
  }

  @GuardedBy("running")
  private void commit(CleanedSegment cleaned) throws IOException {
    try {
      cleaned.commit();
    } catch (IOException e) {
      cleaned.discard(e);
      unfinished = cleaned.isThere();
      throw e;
    }
  }
}
