package io.whence.log;

import io.whence.timeline.SegmentTimeline;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A segment that this server owns. Only the last one of a log is appended to. Thread safety:
 * single-writer; {@link #view} gives readers something that never changes.
 */
final class LogSegment {
  /** What the names of the files end in that are made from the .log. */
  static final List<String> INDEX_SUFFIXES =
      List.of(
          SegmentNames.OFFSET_INDEX,
          SegmentNames.TIME_INDEX,
          BlockIndexFile.SUFFIX,
          TimelineFile.SUFFIX);

  /** Which part of a segment may be without a checkpoint, at the most, when it is large. */
  private static final int CHECKPOINT_SHARE = 8;

  private final Path directory;
  private final SegmentFile file;
  private final long baseOffset;
  private final int indexIntervalBytes;
  private final long createdMs;

  /** Null once the blocks are let go of; there is a view then. */
  private @Nullable SegmentIndexBuilder builder;

  private @Nullable SegmentView view;
  private Checkpoint checkpoint;

  /** From where on its timeline has all records, as in {@link Checkpoint}. */
  private long timelineStart;

  /** A write failed, and may have left a part of a batch behind the last one. */
  private boolean tailUnknown;

  private boolean settled;

  /**
   * What of the index is on disk.
   *
   * @param sizeBytes up to where in the .log it goes
   * @param blocks the blocks that are in a file; empty if there is none, as for damaged segments
   * @param hasTimeline whether the timeline is on disk too
   * @param timelineStart from where on the timeline in memory has all records; not above the base
   *     offset where it has those of the whole segment
   */
  record Checkpoint(
      int sizeBytes, Optional<BlocksSummary> blocks, boolean hasTimeline, long timelineStart) {
    static final Checkpoint NONE = new Checkpoint(0, Optional.empty(), false, 0);
  }

  /**
   * Takes over a segment.
   *
   * @param checkpoint what of its index is on disk
   */
  LogSegment(
      Path directory,
      SegmentFile file,
      SegmentIndexBuilder builder,
      long createdMs,
      Checkpoint checkpoint) {
    this.directory = directory;
    this.file = file;
    this.baseOffset = builder.baseOffset();
    this.indexIntervalBytes = builder.indexIntervalBytes();
    this.builder = builder;
    this.createdMs = createdMs;
    this.checkpoint = checkpoint;
    this.timelineStart = checkpoint.timelineStart();
  }

  private LogSegment(Path directory, SegmentView sealed) {
    this.directory = directory;
    this.file = sealed.file();
    this.baseOffset = sealed.index().baseOffset();
    this.indexIntervalBytes = 0;
    this.createdMs = 0;
    this.view = sealed;
    this.checkpoint = new Checkpoint(sealed.index().sizeBytes(), Optional.empty(), true, 0);
  }

  /** Makes a segment of which all is in index files, and nothing is appended to. */
  static LogSegment sealed(
      Path directory, SegmentFile file, IndexFiles files, Optional<SegmentTimeline> timeline) {
    return new LogSegment(directory, new SegmentView(file, files.index(), timeline));
  }

  /** Makes an empty segment, on disk when this returns; leaves nothing behind when it fails. */
  static LogSegment create(
      Path directory, long baseOffset, LogConfig config, LogEnvironment environment)
      throws IOException {
    Path path = SegmentNames.path(directory, baseOffset, SegmentNames.LOG);
    deleteIndexes(directory, baseOffset);
    Files.deleteIfExists(path);
    SegmentFile file = new SegmentFile(path, true, environment.disk(), environment.events());
    try {
      Files.createFile(path);
      file.force();
      AtomicFile.forceDirectory(directory);
    } catch (IOException e) {
      discard(file, e);
      throw e;
    }
    int interval = config.size(LogSetting.INDEX_INTERVAL_BYTES);
    SegmentIndexBuilder builder = new SegmentIndexBuilder(baseOffset, interval);
    return new LogSegment(directory, file, builder, environment.clock().millis(), Checkpoint.NONE);
  }

  private static void discard(SegmentFile file, IOException cause) {
    try {
      file.retire();
      Files.deleteIfExists(file.path());
    } catch (IOException e) {
      cause.addSuppressed(e); // An empty file that overlaps is deleted by the next start.
    }
  }

  /** Deletes everything but the .log. */
  static void deleteIndexes(Path directory, long baseOffset) throws IOException {
    for (String suffix : INDEX_SUFFIXES) {
      Files.deleteIfExists(SegmentNames.path(directory, baseOffset, suffix));
    }
  }

  long baseOffset() {
    return baseOffset;
  }

  long nextOffset() {
    return builder == null ? view().index().nextOffset() : builder.nextOffset();
  }

  int sizeBytes() {
    return builder == null ? view().index().sizeBytes() : builder.sizeBytes();
  }

  boolean isEmpty() {
    return sizeBytes() == 0;
  }

  SegmentFile file() {
    return file;
  }

  SegmentView view() {
    SegmentView current = view;
    if (current == null) {
      current = new SegmentView(file, builder().build(), builder().timeline());
      view = current;
    }
    return current;
  }

  /**
   * Goes on with the timeline of what the log start leaves of its records.
   *
   * @param rest the timeline of all records from the log start on
   */
  void setTimeline(SegmentTimeline rest, long logStartOffset) {
    SegmentView whole = view();
    timelineStart = logStartOffset;
    if (builder != null && builder.timeline().isPresent()) {
      builder.setTimeline(rest);
      view = null;
    } else {
      view = new SegmentView(file, whole.index(), Optional.of(rest.compacted()));
    }
  }

  private SegmentIndexBuilder builder() {
    if (builder == null) {
      throw new IllegalStateException(file.path() + ": is no longer appended to");
    }
    return builder;
  }

  /**
   * Says that nothing is appended any more. Its timeline is packed, and may be dropped from now on.
   */
  void settle() {
    settled = true;
    if (builder != null) {
      SegmentView grown = view();
      view = new SegmentView(file, grown.index(), grown.timeline().map(SegmentTimeline::compacted));
      builder.forgetTimeline();
    }
  }

  /** Returns whether nothing is appended any more. */
  boolean isSettled() {
    return settled;
  }

  int bytesSinceCheckpoint() {
    return sizeBytes() - checkpoint.sizeBytes();
  }

  /**
   * Returns whether the next start would have too much to read. A checkpoint writes the whole
   * index, so that a large segment gets them further apart: all of them together stay linear.
   */
  boolean isCheckpointDue(int checkpointBytes) {
    return bytesSinceCheckpoint() >= Math.max(checkpointBytes, sizeBytes() / CHECKPOINT_SHARE);
  }

  /**
   * Returns whether Kafka would begin a new segment before a batch. Never before the first one: the
   * new segment would be the same again, and a batch larger than a segment gets one of its own.
   */
  boolean isFullFor(BatchStats batch, LogConfig config, long nowMs) {
    return !isEmpty()
        && (hasNoRoomFor(batch, config, PendingBatches.NONE) || isTooOldFor(batch, config, nowMs));
  }

  /**
   * Returns whether a batch goes beyond the size of a segment or of its index.
   *
   * @param pending what is going to be appended before it
   */
  boolean hasNoRoomFor(BatchStats batch, LogConfig config, PendingBatches pending) {
    long sizeBytes = (long) sizeBytes() + pending.bytes();
    return sizeBytes > config.number(LogSetting.SEGMENT_BYTES) - batch.sizeBytes()
        || hasFullIndex(config, pending.entries(indexIntervalBytes))
        || batch.lastOffset() - baseOffset() > Integer.MAX_VALUE;
  }

  private boolean isTooOldFor(BatchStats batch, LogConfig config, long nowMs) {
    long firstMs = builder().firstBatchMaxMs();
    long waitedMs = firstMs >= 0 ? batch.headerMaxMs() - firstMs : nowMs - createdMs;
    return waitedMs > config.number(LogSetting.SEGMENT_MS);
  }

  private boolean hasFullIndex(LogConfig config, long pendingEntries) {
    long bytes = config.number(LogSetting.SEGMENT_INDEX_BYTES);
    // The last slot of a time index is kept for the closing entry.
    return builder().offsetEntryCount() + pendingEntries
            >= bytes / KafkaIndexFiles.OFFSET_ENTRY_BYTES
        || builder().timeEntryCount() + pendingEntries
            >= bytes / KafkaIndexFiles.TIME_ENTRY_BYTES - 1;
  }

  /** Appends a batch; it is not on disk before {@link SegmentFile#force}. All of it or nothing. */
  void append(ByteBuffer bytes, BatchStats stats) throws IOException {
    append(bytes, List.of(stats));
  }

  /** Appends consecutive batches, as {@link #append(ByteBuffer, BatchStats)} does one. */
  void append(ByteBuffer bytes, List<BatchStats> stats) throws IOException {
    cutUnknownTail();
    tailUnknown = true;
    file.write(bytes, sizeBytes());
    tailUnknown = false;
    for (BatchStats batch : stats) {
      builder().add(batch);
    }
    view = null;
  }

  private void cutUnknownTail() throws IOException {
    if (tailUnknown) {
      file.truncate(sizeBytes());
      tailUnknown = false;
    }
  }

  /**
   * Cuts off what is not known to be on disk.
   *
   * @param durable what is
   * @return what to go on with instead of this
   */
  LogSegment cutTo(SegmentView durable) throws IOException {
    file.cutTo(durable.index().sizeBytes());
    SegmentIndexBuilder rest =
        SegmentIndexBuilder.resume(durable.index(), durable.timeline(), indexIntervalBytes);
    LogSegment cut = new LogSegment(directory, file, rest, createdMs, checkpoint);
    cut.timelineStart = timelineStart;
    return cut;
  }

  /**
   * Writes our index beside the log, for the next start; the log must be on disk up to here. Not
   * that of a damaged segment: the next start would read no damage, and report none.
   */
  void writeCheckpoint() throws IOException {
    SegmentIndex index = view().index();
    if (!index.isWhole()) {
      checkpoint = new Checkpoint(index.sizeBytes(), Optional.empty(), false, timelineStart);
      return;
    }
    BlocksSummary blocks = BlocksSummary.of(index.blocks().load(), indexFile().write(index));
    // Behind the blocks: a start that finds an older timeline reads the records that it lacks.
    Optional<SegmentTimeline> timeline = view().timeline();
    if (timeline.isPresent()) {
      TimelineFile.ofOwn(directory, baseOffset, indexIntervalBytes)
          .write(index, blocks, timeline.get(), timelineStart);
    }
    checkpoint =
        new Checkpoint(index.sizeBytes(), Optional.of(blocks), timeline.isPresent(), timelineStart);
  }

  private BlockIndexFile indexFile() {
    return BlockIndexFile.ofOwn(directory, baseOffset, indexIntervalBytes);
  }

  /**
   * Lets go of the blocks, if they are in a file; they are read from there when they are needed.
   * Nothing may be appended any more.
   *
   * @return whether it did
   */
  boolean releaseBlocks(LogMemory memory) {
    SegmentView current = view();
    if (builder == null || checkpoint.blocks().isEmpty() || bytesSinceCheckpoint() != 0) {
      return false;
    }
    BlocksSummary blocks = checkpoint.blocks().get();
    SegmentIndex index = current.index();
    IndexFiles files =
        checkpoint.hasTimeline()
            ? IndexFiles.withTimeline(
                file, index, blocks, indexFile(), current.slot().sizeInBytes(), memory)
            : IndexFiles.withBlocks(file, index, blocks, indexFile(), memory);
    view = new SegmentView(file, files.index(), current.slot());
    builder = null;
    return true;
  }

  /** Puts everything on disk, indexes for Kafka and for us included. */
  void seal() throws IOException {
    if (isEmpty() && !tailUnknown) {
      return; // Kafka makes index files when there is something to index, too.
    }
    cutUnknownTail();
    file.force();
    KafkaIndexFiles.repair(directory, view().index());
    if (bytesSinceCheckpoint() != 0) {
      writeCheckpoint();
    }
  }

  /** Lets go of the timeline, if it is in a file and a start has no room for it. */
  void releaseTimeline(LogMemory memory) {
    TimelineSlot slot = view().slot();
    if (checkpoint.hasTimeline() && !memory.preload().takesAtStart(slot.sizeInBytes())) {
      slot.set(Optional.empty());
    }
  }

  /**
   * Renames the log, so that it no longer counts; readers of older snapshots go on.
   *
   * @return deletes it for good
   */
  LogEnvironment.Deletion markDeleted() throws IOException {
    Path log = SegmentNames.freeDeletedPath(directory, baseOffset());
    file.renameTo(log);
    BlockSource blocks = view().index().blocks();
    if (blocks instanceof StoredBlocks stored) {
      stored.files().putAside(log);
    }
    deleteIndexes(directory, baseOffset());
    return () -> {
      file.retire();
      Files.deleteIfExists(log);
      if (blocks instanceof StoredBlocks stored) {
        stored.delete();
      }
    };
  }

  /** Lets go of all files; nothing is read or written any more. */
  void retire() throws IOException {
    if (view != null && view.index().blocks() instanceof StoredBlocks stored) {
      stored.files().end();
    }
    file.retire();
  }
}
