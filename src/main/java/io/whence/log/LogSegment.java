package io.whence.log;

import io.whence.timeline.SegmentTimeline;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A segment that this server owns. Only the last one of a log is appended to. Thread safety:
 * single-writer; {@link #view} gives readers something that never changes.
 */
final class LogSegment {
  /** What the names of the files end in that are made from the .log. */
  static final List<String> INDEX_SUFFIXES =
      List.of(SegmentNames.OFFSET_INDEX, SegmentNames.TIME_INDEX, BlockIndexFile.SUFFIX);

  private final Path directory;
  private final SegmentFile file;
  private final SegmentIndexBuilder builder;
  private final long createdMs;
  private int checkpointedBytes;
  private @Nullable SegmentView view;

  /** A write failed, and may have left a part of a batch behind the last one. */
  private boolean tailUnknown;

  /**
   * Takes over a segment.
   *
   * @param checkpointedBytes up to where its index is on disk
   */
  LogSegment(
      Path directory,
      SegmentFile file,
      SegmentIndexBuilder builder,
      long createdMs,
      int checkpointedBytes) {
    this.directory = directory;
    this.file = file;
    this.builder = builder;
    this.createdMs = createdMs;
    this.checkpointedBytes = checkpointedBytes;
  }

  /** Makes an empty segment, on disk when this returns; leaves nothing behind when it fails. */
  static LogSegment create(
      Path directory, long baseOffset, LogConfig config, LogEnvironment environment)
      throws IOException {
    Path path = SegmentNames.path(directory, baseOffset, SegmentNames.LOG);
    deleteIndexes(directory, baseOffset);
    Files.deleteIfExists(path);
    SegmentFile file = new SegmentFile(path, true, environment.disk());
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
    return new LogSegment(directory, file, builder, environment.clock().millis(), 0);
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
    return builder.baseOffset();
  }

  long nextOffset() {
    return builder.nextOffset();
  }

  int sizeBytes() {
    return builder.sizeBytes();
  }

  boolean isEmpty() {
    return builder.sizeBytes() == 0;
  }

  SegmentFile file() {
    return file;
  }

  SegmentView view() {
    SegmentView current = view;
    if (current == null) {
      current = new SegmentView(file, builder.build(), builder.timeline());
      view = current;
    }
    return current;
  }

  /**
   * Says that nothing is appended any more. Its timeline is packed, and may be dropped from now on.
   */
  void settle() {
    SegmentView grown = view();
    view = new SegmentView(file, grown.index(), grown.timeline().map(SegmentTimeline::compacted));
    builder.forgetTimeline();
  }

  int bytesSinceCheckpoint() {
    return builder.sizeBytes() - checkpointedBytes;
  }

  /**
   * Returns whether Kafka would begin a new segment before a batch. Never before the first one: the
   * new segment would be the same again, and a batch larger than a segment gets one of its own.
   */
  boolean isFullFor(BatchStats batch, LogConfig config, long nowMs) {
    return !isEmpty()
        && (sizeBytes() > config.number(LogSetting.SEGMENT_BYTES) - batch.sizeBytes()
            || isTooOldFor(batch, config, nowMs)
            || hasFullIndex(config)
            || batch.lastOffset() - baseOffset() > Integer.MAX_VALUE);
  }

  private boolean isTooOldFor(BatchStats batch, LogConfig config, long nowMs) {
    long firstMs = builder.firstBatchMaxMs();
    long waitedMs = firstMs >= 0 ? batch.headerMaxMs() - firstMs : nowMs - createdMs;
    return waitedMs > config.number(LogSetting.SEGMENT_MS);
  }

  private boolean hasFullIndex(LogConfig config) {
    long bytes = config.number(LogSetting.SEGMENT_INDEX_BYTES);
    // The last slot of a time index is kept for the closing entry.
    return builder.offsetEntryCount() >= bytes / KafkaIndexFiles.OFFSET_ENTRY_BYTES
        || builder.timeEntryCount() >= bytes / KafkaIndexFiles.TIME_ENTRY_BYTES - 1;
  }

  /** Appends a batch; it is not on disk before {@link SegmentFile#force}. All of it or nothing. */
  void append(ByteBuffer bytes, BatchStats stats) throws IOException {
    cutUnknownTail();
    tailUnknown = true;
    file.write(bytes, sizeBytes());
    tailUnknown = false;
    builder.add(stats);
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
        SegmentIndexBuilder.resume(
            durable.index(), durable.timeline(), builder.indexIntervalBytes());
    return new LogSegment(directory, file, rest, createdMs, checkpointedBytes);
  }

  /**
   * Writes our index beside the log, for the next start; the log must be on disk up to here. Not
   * that of a damaged segment: the next start would read no damage, and report none.
   */
  void writeCheckpoint() throws IOException {
    SegmentIndex index = view().index();
    if (index.isWhole()) {
      Path path = SegmentNames.path(directory, baseOffset(), BlockIndexFile.SUFFIX);
      BlockIndexFile.write(path, index, baseOffset(), builder.indexIntervalBytes());
    }
    checkpointedBytes = index.sizeBytes();
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

  /**
   * Renames the log, so that it no longer counts; readers of older snapshots go on.
   *
   * @return deletes it for good
   */
  LogEnvironment.Deletion markDeleted() throws IOException {
    Path log = deletedPath();
    file.renameTo(log);
    deleteIndexes(directory, baseOffset());
    return () -> {
      file.retire();
      Files.deleteIfExists(log);
    };
  }

  /** What a compaction replaced may still wait for its readers under the usual name. */
  private Path deletedPath() {
    String suffix = SegmentNames.LOG + SegmentNames.DELETED;
    Path path = SegmentNames.path(directory, baseOffset(), suffix);
    for (int i = 2; Files.exists(path); i++) {
      suffix = SegmentNames.LOG + "." + i + SegmentNames.DELETED;
      path = SegmentNames.path(directory, baseOffset(), suffix);
    }
    return path;
  }
}
