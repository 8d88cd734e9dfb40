package io.whence.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.whence.model.ErrorReason;
import io.whence.model.OffsetRange;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

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
  private final List<LogSegment> segments;

  @GuardedBy("lock")
  private final List<Damage> damages;

  @GuardedBy("lock")
  private long logStartOffset;

  @GuardedBy("lock")
  private long highWatermark;

  /** The bytes of the segment that holds the high watermark that are on disk. */
  @GuardedBy("lock")
  private int durableBytes;

  @GuardedBy("lock")
  private List<Waiting> waiting = new ArrayList<>();

  @GuardedBy("lock")
  private boolean flushing;

  /** How often the disk refused to say that something is on it. */
  @GuardedBy("lock")
  private int forceFailures;

  @GuardedBy("lock")
  private boolean broken;

  @GuardedBy("lock")
  private boolean closed;

  private volatile LogSnapshot snapshot;

  /** An append that is written and waits for the disk. */
  private record Waiting(OffsetRange range, CompletableFuture<OffsetRange> done) {}

  /** What a flush is to put on disk. */
  private record Flush(
      SegmentFile file, long endOffset, int bytes, int failures, List<Waiting> waiting) {}

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
    this.segments = new ArrayList<>(loaded.segments());
    this.damages = new ArrayList<>(loaded.damages());
    this.logStartOffset = loaded.logStartOffset();
    LogSegment active = segments.get(segments.size() - 1);
    this.highWatermark = active.nextOffset();
    this.durableBytes = active.sizeBytes();
    this.snapshot = newSnapshot(segments, logStartOffset, highWatermark, damages);
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
        environment.flusher().execute(this::flushAll);
      }
    } catch (WhenceException e) {
      done.completeExceptionally(e);
    }
    return done;
  }

  /** Writes a batch; returns whether somebody has to flush. */
  private boolean write(EncodedBatch encoded, long nowMs, CompletableFuture<OffsetRange> done) {
    synchronized (lock) {
      try {
        requireOpen();
        repairIfBroken();
        BatchStats stats = encoded.stats(active().nextOffset());
        if (active().isFullFor(stats, config, nowMs)) {
          roll(nowMs);
        }
        active().append(encoded.place(stats.baseOffset(), LEADER_EPOCH), stats);
        OffsetRange range = new OffsetRange(stats.baseOffset(), stats.lastOffset() + 1);
        waiting.add(new Waiting(range, done));
      } catch (IOException e) {
        throw StorageFailures.ofWrite(e, active().file().path());
      }
      boolean first = !flushing;
      flushing = true;
      return first;
    }
  }

  /** Flushes until nobody waits. One at a time. */
  private void flushAll() {
    Flush flush = nextFlush();
    while (flush != null) {
      long startNanos = System.nanoTime();
      try {
        flush.file().force();
        complete(flush, System.nanoTime() - startNanos);
      } catch (IOException e) {
        synchronized (lock) {
          giveUp(flush.waiting(), e);
        }
      }
      flush = nextFlush();
    }
  }

  private @Nullable Flush nextFlush() {
    synchronized (lock) {
      if (waiting.isEmpty()) {
        flushing = false;
        lock.notifyAll();
        return null;
      }
      LogSegment active = active();
      Flush flush =
          new Flush(active.file(), active.nextOffset(), active.sizeBytes(), forceFailures, waiting);
      waiting = new ArrayList<>();
      return flush;
    }
  }

  private void complete(Flush flush, long nanos) throws IOException {
    synchronized (lock) {
      if (flush.failures() != forceFailures) {
        // The system tells of a failed write once. It told another caller, so this success is void.
        throw new IOException("an earlier flush of the same data failed");
      }
      advance(flush.endOffset(), flush.bytes());
      environment.events().flushed(partition, flush.waiting().size(), nanos);
      if (active().bytesSinceCheckpoint() >= environment.checkpointBytes()) {
        checkpointActive();
      }
    }
    flush.waiting().forEach(append -> append.done().complete(append.range()));
  }

  @GuardedBy("lock")
  private void advance(long endOffset, int bytes) {
    if (endOffset > highWatermark) {
      highWatermark = endOffset;
      durableBytes = bytes;
    }
    publish();
  }

  /** Fails what waits: it can't be known to be on disk, and is cut off before the next append. */
  @GuardedBy("lock")
  private void giveUp(List<Waiting> flushed, IOException cause) {
    List<Waiting> lost = new ArrayList<>(flushed);
    lost.addAll(waiting);
    waiting = new ArrayList<>();
    broken = true;
    forceFailures++;
    WhenceException failure = StorageFailures.ofWrite(cause, active().file().path());
    for (Waiting append : lost) {
      if (append.range().endOffset() <= highWatermark) {
        append.done().complete(append.range()); // On disk by a roll that came in between.
      } else {
        append.done().completeExceptionally(failure);
      }
    }
  }

  @GuardedBy("lock")
  private void forceActive() throws IOException {
    try {
      active().file().force();
    } catch (IOException e) {
      giveUp(List.of(), e);
      throw e;
    }
  }

  @GuardedBy("lock")
  private void checkpointActive() {
    try {
      forceActive();
      active().writeCheckpoint();
    } catch (IOException e) {
      // Only a copy of what the log says: without it, the next start reads more.
      environment.events().warned(partition, "could not write an index checkpoint: " + e);
    }
  }

  @GuardedBy("lock")
  private void roll(long nowMs) throws IOException {
    LogSegment full = active();
    forceActive();
    advance(full.nextOffset(), full.sizeBytes());
    LogSegment next = LogSegment.create(directory, full.nextOffset(), config, nowMs);
    sealIndexes(full);
    segments.add(next);
    durableBytes = 0;
    environment.events().rolled(partition, next.baseOffset());
  }

  @GuardedBy("lock")
  private void sealIndexes(LogSegment full) {
    try {
      full.seal();
    } catch (IOException e) {
      environment.events().warned(partition, "could not write indexes: " + e);
    }
  }

  /** Cuts off what was not acknowledged when a write or a flush failed (I2). */
  @GuardedBy("lock")
  private void repairIfBroken() throws IOException {
    if (!broken) {
      return;
    }
    SegmentFile file = active().file();
    file.truncate(durableBytes);
    file.force();
    SegmentIndexBuilder builder =
        new SegmentIndexBuilder(
            active().baseOffset(), config.size(LogSetting.INDEX_INTERVAL_BYTES));
    new SegmentScanner(file, durableBytes, builder, SegmentScanner.OnFault.SKIP).scan();
    segments.set(
        segments.size() - 1,
        new LogSegment(directory, file, builder, environment.clock().millis(), 0));
    broken = false;
    publish();
  }

  /**
   * Raises the log start offset; a lower one changes nothing.
   *
   * @param before is called, before anything changes, with the new log start offset: makes it
   *     durable
   * @return the log start offset as it is now
   * @throws WhenceException {@code OFFSET_OUT_OF_RANGE} above the high watermark
   */
  public long trim(long newLogStartOffset, LogStartStore before) throws IOException {
    synchronized (lock) {
      requireOpen();
      if (newLogStartOffset > highWatermark) {
        throw WhenceException.of(
            ErrorReason.OFFSET_OUT_OF_RANGE,
            "before_offset: " + newLogStartOffset + " is above the high watermark " + highWatermark,
            "offset",
            newLogStartOffset,
            "log_start_offset",
            logStartOffset,
            "end_offset",
            highWatermark);
      }
      if (newLogStartOffset > logStartOffset) {
        before.store(partition, newLogStartOffset);
        raiseStart(newLogStartOffset, "trim");
      }
      return logStartOffset;
    }
  }

  /** Deletes segments that are too old or too much, oldest first, as Kafka does. */
  public void retain() throws IOException {
    synchronized (lock) {
      if (closed) {
        return;
      }
      Retention retention =
          new Retention(partition, config, environment.clock().millis(), environment.events());
      int count = retention.deletableSegments(snapshotOfSegments());
      if (count == 0) {
        return;
      }
      if (count == segments.size()) {
        roll(environment.clock().millis());
      }
      raiseStart(segments.get(count).baseOffset(), "retention");
    }
  }

  @GuardedBy("lock")
  private List<SegmentView> snapshotOfSegments() {
    return segments.stream().map(LogSegment::view).toList();
  }

  @GuardedBy("lock")
  private void raiseStart(long newLogStartOffset, String reason) throws IOException {
    logStartOffset = newLogStartOffset;
    List<LogSegment> below = new ArrayList<>();
    for (int i = 0; i + 1 < segments.size(); i++) {
      if (segments.get(i + 1).baseOffset() <= logStartOffset) {
        below.add(segments.get(i));
      }
    }
    segments.removeAll(below);
    damages.removeIf(damage -> damage.range().endOffset() <= newLogStartOffset);
    publish();
    environment.events().trimmed(partition, logStartOffset, reason);
    for (LogSegment segment : below) {
      environment.deleter().deleteLater(segment.markDeleted());
    }
  }

  /** Waits for what is being written, puts everything on disk and takes no more appends. */
  public void close() throws IOException {
    synchronized (lock) {
      stop();
      if (!broken) {
        active().seal();
      }
      for (LogSegment segment : segments) {
        segment.file().close();
      }
    }
  }

  /** Takes no more appends and lets go of the files, which are about to be deleted. */
  public void abandon() {
    synchronized (lock) {
      stop();
    }
  }

  @GuardedBy("lock")
  private void stop() {
    closed = true;
    boolean interrupted = false;
    while (flushing) {
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
  private LogSegment active() {
    return segments.get(segments.size() - 1);
  }

  @GuardedBy("lock")
  private void publish() {
    snapshot = newSnapshot(segments, logStartOffset, highWatermark, damages);
  }

  private static LogSnapshot newSnapshot(
      List<LogSegment> segments, long logStartOffset, long highWatermark, List<Damage> damages) {
    return new LogSnapshot(
        segments.stream().map(LogSegment::view).toList(),
        logStartOffset,
        highWatermark,
        AbortedTransactions.NONE,
        damages);
  }

  /** Makes log start offsets durable. */
  @FunctionalInterface
  public interface LogStartStore {
    /** Returns when the offset is on disk. */
    void store(TopicPartition partition, long logStartOffset) throws IOException;
  }
}
