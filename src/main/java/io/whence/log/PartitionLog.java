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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

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

  private static final long CLOSE_LIMIT_SECONDS = 60;

  private final Object lock = new Object();
  private final Path directory;
  private final TopicPartition partition;
  private final LogConfig config;
  private final LogEnvironment environment;

  @GuardedBy("lock")
  private final GroupCommit commits = new GroupCommit();

  @GuardedBy("lock")
  private final SegmentList segments;

  @GuardedBy("lock")
  private boolean closed;

  private volatile LogSnapshot snapshot;

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
    this.snapshot = segments.snapshot();
  }

  /** Returns the log as it is at this moment. */
  public LogSnapshot snapshot() {
    return snapshot;
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
    CompletableFuture<OffsetRange> done = new CompletableFuture<>();
    try {
      long nowMs = environment.clock().millis();
      EncodedBatch encoded = EncodedBatch.of(batch, config, nowMs);
      if (write(encoded, nowMs, done)) {
        startFlushing();
      }
    } catch (WhenceException e) {
      done.completeExceptionally(e);
    } finally {
      tellSettled();
    }
    return done;
  }

  /** Writes a batch; returns whether somebody has to flush. */
  private boolean write(EncodedBatch encoded, long nowMs, CompletableFuture<OffsetRange> done) {
    synchronized (lock) {
      requireOpen();
      try {
        segments.cutIfBroken();
        BatchStats stats = encoded.stats(segments.active().nextOffset());
        if (segments.active().isFullFor(stats, config, nowMs)) {
          roll();
        }
        segments.active().append(encoded.place(stats.baseOffset(), LEADER_EPOCH), stats);
        return commits.add(new OffsetRange(stats.baseOffset(), stats.lastOffset() + 1), done);
      } catch (IOException e) {
        throw StorageFailures.ofWrite(e, segments.active().file().path());
      }
    }
  }

  private void startFlushing() {
    try {
      environment.flusher().execute(this::flushAll);
    } catch (RejectedExecutionException e) {
      flushAll(); // The server is stopping; what is written must get its answer all the same.
    }
  }

  /** Flushes until nobody waits. One at a time. */
  private void flushAll() {
    for (Optional<GroupCommit.Flush> next = nextFlush(); next.isPresent(); next = nextFlush()) {
      flush(next.get());
      tellSettled();
    }
  }

  private Optional<GroupCommit.Flush> nextFlush() {
    synchronized (lock) {
      if (!commits.goesOn()) {
        lock.notifyAll();
        return Optional.empty();
      }
      return Optional.of(commits.begin(segments.active().view()));
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
      if (segments.active().bytesSinceCheckpoint() >= environment.checkpointBytes()) {
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

  @GuardedBy("lock")
  private void roll() throws IOException {
    LogSegment full = segments.active();
    forceActive();
    LogSegment next = LogSegment.create(directory, full.nextOffset(), config, environment);
    try {
      full.seal();
    } catch (IOException e) {
      environment.events().warned(partition, "could not write indexes: " + e);
    }
    segments.add(next);
    environment.events().rolled(partition, next.baseOffset());
  }

  /**
   * Raises the log start offset; a lower one changes nothing.
   *
   * @param store is called, before anything changes, with the new log start offset
   * @return the log start offset as it is now
   * @throws WhenceException {@code OFFSET_OUT_OF_RANGE} above the high watermark
   */
  public long trim(long newLogStartOffset, LogStartStore store) throws IOException {
    synchronized (lock) {
      requireOpen();
      if (newLogStartOffset > segments.highWatermark()) {
        throw aboveHighWatermark(newLogStartOffset);
      }
      raiseStart(newLogStartOffset, "trim", store);
      return segments.logStartOffset();
    }
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
        if (closed) {
          return;
        }
        segments.cutIfBroken();
        Retention retention =
            new Retention(partition, config, environment.clock().millis(), environment.events());
        List<SegmentView> views = segments.views();
        int count = retention.deletableSegments(views);
        if (count == 0) {
          return;
        }
        if (count == views.size()) {
          roll();
        }
        raiseStart(segments.startAfter(count), "retention", (p, offset) -> storeIfPossible(offset, store));
      }
    } finally {
      tellSettled();
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
    publish();
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
   * Waits for what is being written, puts everything on disk and takes no more appends.
   *
   * @throws IOException if not everything is known to be on disk as it should be
   */
  public void close() throws IOException {
    try {
      synchronized (lock) {
        if (closed) {
          return;
        }
        stop();
        try {
          segments.cutIfBroken();
          segments.active().seal();
        } finally {
          segments.retire();
        }
      }
    } finally {
      tellSettled();
    }
  }

  /** Takes no more appends and lets go of the files, which are about to be deleted. */
  public void abandon() throws IOException {
    try {
      synchronized (lock) {
        stop();
        segments.retire();
      }
    } finally {
      tellSettled();
    }
  }

  @GuardedBy("lock")
  private void stop() throws IOException {
    closed = true;
    boolean interrupted = false;
    long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(CLOSE_LIMIT_SECONDS);
    while (commits.isRunning()) {
      if (System.nanoTime() > endNanos) {
        throw new IOException(
            partition + ": the disk took longer than " + CLOSE_LIMIT_SECONDS + " s");
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

  @GuardedBy("lock")
  private void requireOpen() {
    if (closed) {
      throw WhenceException.of(
          ErrorReason.DRAINING, partition + ": the log is closed; nothing was written");
    }
  }

  @GuardedBy("lock")
  private void publish() {
    snapshot = segments.snapshot();
  }

  /** Tells appends what became of them, outside of the lock: they may run anything. */
  private void tellSettled() {
    List<Runnable> settled;
    synchronized (lock) {
      settled = commits.takeSettled();
    }
    settled.forEach(Runnable::run);
  }

  /** Makes log start offsets durable. */
  @FunctionalInterface
  public interface LogStartStore {
    /** Returns when the offset is on disk. */
    void store(TopicPartition partition, long logStartOffset) throws IOException;
  }
}
