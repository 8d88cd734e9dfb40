package io.whence.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.whence.model.ErrorReason;
import io.whence.model.OffsetRange;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Writes batches to the end of a log and puts them on disk: writes under the lock of the log, waits
 * for the disk outside of it, all that wait together for one flush. Thread safety: thread-safe.
 *
 * <p>Invariants: see {@link PartitionLog}; they are kept here.
 */
final class LogWriter {
  private static final long STOP_LIMIT_SECONDS = 60;

  private final Object lock;
  private final Path directory;
  private final TopicPartition partition;
  private final LogConfig config;
  private final LogEnvironment environment;

  @GuardedBy("lock")
  private final SegmentList segments;

  @GuardedBy("lock")
  private final GroupCommit commits = new GroupCommit();

  @GuardedBy("lock")
  private @Nullable ErrorReason stopped;

  private final LogWatchers watchers = new LogWatchers();
  private volatile LogSnapshot snapshot;

  /**
   * Makes a writer.
   *
   * @param lock guards the segments
   */
  LogWriter(
      Object lock,
      Path directory,
      TopicPartition partition,
      LogConfig config,
      LogEnvironment environment,
      SegmentList segments) {
    this.lock = lock;
    this.directory = directory;
    this.partition = partition;
    this.config = config;
    this.environment = environment;
    this.segments = segments;
    this.snapshot = segments.snapshot();
  }

  LogSnapshot snapshot() {
    return snapshot;
  }

  /** Returns who wants to be told of new records. */
  LogWatchers watchers() {
    return watchers;
  }

  /**
   * Appends a batch; completes when it is on disk, or fails when it is not in the log.
   *
   * @param expectedBaseOffset the only offset that its first record may get, if there is such
   */
  void append(
      AppendBatch batch, OptionalLong expectedBaseOffset, CompletableFuture<OffsetRange> done) {
    try {
      long nowMs = environment.clock().millis();
      EncodedBatch encoded = EncodedBatch.of(batch, config, nowMs);
      if (write(encoded, expectedBaseOffset, nowMs, done)) {
        startFlushing();
      }
    } catch (WhenceException e) {
      done.completeExceptionally(e);
    } finally {
      tellSettled();
    }
  }

  /** Writes a batch; returns whether somebody has to flush. */
  private boolean write(
      EncodedBatch encoded,
      OptionalLong expectedBaseOffset,
      long nowMs,
      CompletableFuture<OffsetRange> done) {
    synchronized (lock) {
      requireOpen();
      try {
        // Before the offset is compared: what a failed flush left behind has no offsets any more.
        segments.cutIfBroken();
        requireNext(expectedBaseOffset);
        BatchStats stats = encoded.stats(segments.active().nextOffset());
        if (segments.active().isFullFor(stats, config, nowMs)) {
          roll();
        }
        segments
            .active()
            .append(encoded.place(stats.baseOffset(), PartitionLog.LEADER_EPOCH), stats);
        return commits.add(new OffsetRange(stats.baseOffset(), stats.lastOffset() + 1), done);
      } catch (IOException e) {
        throw StorageFailures.ofWrite(e, segments.active().file().path());
      }
    }
  }

  @GuardedBy("lock")
  private void requireNext(OptionalLong expectedBaseOffset) {
    long nextOffset = segments.active().nextOffset();
    if (expectedBaseOffset.isPresent() && expectedBaseOffset.getAsLong() != nextOffset) {
      throw WhenceException.of(
          ErrorReason.CONFLICT,
          partition
              + ": the next offset is "
              + nextOffset
              + ", not "
              + expectedBaseOffset.getAsLong()
              + " as expected; nothing was written",
          "expected",
          expectedBaseOffset.getAsLong(),
          "next_offset",
          nextOffset);
    }
  }

  private void startFlushing() {
    try {
      environment.flusher().execute(this::flushOnce);
    } catch (RejectedExecutionException e) {
      flushOnce(); // The server is stopping; what is written must get its answer all the same.
    }
  }

  /**
   * Flushes for all that wait now, and queues again for those that came meanwhile: a busy log must
   * not keep a thread from the others.
   */
  private void flushOnce() {
    nextFlush().ifPresent(this::flush);
    tellSettled();
    if (goesOn()) {
      startFlushing();
    }
  }

  private boolean goesOn() {
    synchronized (lock) {
      boolean more = commits.goesOn();
      if (!more) {
        lock.notifyAll();
      }
      return more;
    }
  }

  private Optional<GroupCommit.Flush> nextFlush() {
    synchronized (lock) {
      return commits.begin(segments.active().view());
    }
  }

  private void flush(GroupCommit.Flush flush) {
    long startNanos = System.nanoTime();
    try {
      flush.view().file().force();
      complete(flush, System.nanoTime() - startNanos);
    } catch (IOException | RuntimeException e) {
      synchronized (lock) {
        if (commits.isValid(flush)) {
          giveUp(e);
        }
      }
    }
  }

  private void complete(GroupCommit.Flush flush, long nanos) {
    synchronized (lock) {
      if (!commits.isValid(flush)) {
        return; // Those that waited were told of the failure that voids this success.
      }
      segments.setDurable(flush.view());
      publish();
      environment.events().flushed(partition, commits.succeed(), nanos);
      if (segments.active().isCheckpointDue(environment.checkpointBytes())) {
        checkpointActive();
      }
    }
  }

  /** Fails what waits: it can't be known to be on disk. Cuts it off, now or before any append. */
  @GuardedBy("lock")
  private void giveUp(Exception cause) {
    WhenceException failure = StorageFailures.ofWrite(cause, segments.active().file().path());
    commits.fail(failure, segments.highWatermark());
    segments.breakOff();
    try {
      segments.cutIfBroken();
    } catch (IOException e) {
      environment.events().warned(partition, "could not cut off what was not acknowledged: " + e);
    }
  }

  /** Puts everything on disk that is written. */
  @GuardedBy("lock")
  private void forceActive() throws IOException {
    try {
      segments.active().file().force();
      segments.setDurable(segments.active().view());
      publish();
    } catch (IOException e) {
      giveUp(e);
      throw e;
    }
  }

  @GuardedBy("lock")
  private void checkpointActive() {
    try {
      forceActive();
      segments.active().writeCheckpoint();
    } catch (IOException e) {
      // Only a copy of what the log says: without it, the next start reads more.
      environment.events().warned(partition, "could not write an index checkpoint: " + e);
    }
  }

  /** Begins a new segment; everything before it is on disk then. */
  void roll() throws IOException {
    synchronized (lock) {
      LogSegment full = segments.active();
      forceActive();
      LogSegment next = LogSegment.create(directory, full.nextOffset(), config, environment);
      try {
        full.settle();
        full.seal();
        full.releaseBlocks(environment.memory());
      } catch (IOException e) {
        environment.events().warned(partition, "could not write indexes: " + e);
      }
      segments.add(next);
      environment.events().rolled(partition, next.baseOffset());
    }
  }

  boolean isStopped() {
    synchronized (lock) {
      return stopped != null;
    }
  }

  /**
   * Takes no more appends, and waits until those that wait have their answer.
   *
   * @param reason what those that come get to know
   */
  void stop(ErrorReason reason) throws IOException {
    synchronized (lock) {
      stopped = reason;
      awaitFlushes();
    }
  }

  @GuardedBy("lock")
  private void awaitFlushes() throws IOException {
    boolean interrupted = false;
    long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(STOP_LIMIT_SECONDS);
    while (commits.isRunning()) {
      if (System.nanoTime() > endNanos) {
        throw new IOException(
            partition + ": the disk took longer than " + STOP_LIMIT_SECONDS + " s");
      }
      try {
        lock.wait(100);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Fails if the log is closed. */
  void requireOpen() {
    synchronized (lock) {
      if (stopped != null) {
        throw WhenceException.of(
            stopped,
            partition
                + ": the log is closed, since "
                + (stopped == ErrorReason.DRAINING ? "the server stops" : "its topic was deleted")
                + "; nothing was written",
            "topic",
            partition.topic());
      }
    }
  }

  /** Lets readers see the segments as they are. */
  void publish() {
    synchronized (lock) {
      snapshot = segments.snapshot();
    }
  }

  /** Lets readers see that segments that are not appended to have changed what they show. */
  void publishChanged() {
    synchronized (lock) {
      segments.changed();
      publish();
    }
  }

  /**
   * Tells appends what became of them, and watchers of a new end, outside of the lock: they may run
   * anything.
   */
  void tellSettled() {
    List<Runnable> settled;
    synchronized (lock) {
      settled = commits.takeSettled();
    }
    settled.forEach(Runnable::run);
    watchers.tell(snapshot);
  }
}
