package io.whence.log;

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

  /** Makes an empty segment, on disk when this returns. */
  static LogSegment create(Path directory, long baseOffset, LogConfig config, long nowMs)
      throws IOException {
    Path path = SegmentNames.path(directory, baseOffset, SegmentNames.LOG);
    SegmentFile file = new SegmentFile(path, true);
    // What a roll left behind that never got further than this.
    file.truncate(0);
    file.force();
    AtomicFile.forceDirectory(directory);
    int interval = config.size(LogSetting.INDEX_INTERVAL_BYTES);
    SegmentIndexBuilder builder = new SegmentIndexBuilder(baseOffset, interval);
    return new LogSegment(directory, file, builder, nowMs, 0);
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
      current = new SegmentView(file, builder.build());
      view = current;
    }
    return current;
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
    long offsetEntries = bytes / KafkaIndexFiles.OFFSET_ENTRY_BYTES;
    // The last slot of a time index is kept for the closing entry.
    long timeEntries = bytes / KafkaIndexFiles.TIME_ENTRY_BYTES - 1;
    return builder.blockCount() - 1 >= Math.min(offsetEntries, timeEntries);
  }

  /** Appends a batch; it is not on disk before {@link SegmentFile#force}. All of it or nothing. */
  void append(ByteBuffer bytes, BatchStats stats) throws IOException {
    if (tailUnknown) {
      file.truncate(sizeBytes());
    }
    tailUnknown = true;
    file.write(bytes, sizeBytes());
    tailUnknown = false;
    builder.add(stats);
    view = null;
  }

  /**
   * Writes our index beside the log, for the next start; the log must be on disk up to here. Not
   * that of a damaged segment: the next start would read no damage, and report none.
   */
  void writeCheckpoint() throws IOException {
    SegmentIndex index = builder.build();
    if (index.isWhole()) {
      Path path = SegmentNames.path(directory, baseOffset(), BlockIndexFile.SUFFIX);
      BlockIndexFile.write(path, index, baseOffset(), builder.indexIntervalBytes());
    }
    checkpointedBytes = index.sizeBytes();
  }

  /** Puts everything on disk, indexes for Kafka and for us included. */
  void seal() throws IOException {
    file.force();
    KafkaIndexFiles.repair(directory, builder.build());
    writeCheckpoint();
  }

  /**
   * Renames the log, so that it no longer counts; readers of older snapshots go on.
   *
   * @return deletes it for good
   */
  LogEnvironment.Deletion markDeleted() throws IOException {
    Path log = SegmentNames.path(directory, baseOffset(), SegmentNames.LOG + SegmentNames.DELETED);
    file.renameTo(log);
    for (String suffix :
        List.of(SegmentNames.OFFSET_INDEX, SegmentNames.TIME_INDEX, BlockIndexFile.SUFFIX)) {
      Files.deleteIfExists(SegmentNames.path(directory, baseOffset(), suffix));
    }
    return () -> {
      file.close();
      Files.deleteIfExists(log);
    };
  }
}
