package io.whence.log;

import io.whence.log.LogSegment.Checkpoint;
import io.whence.record.BatchFormat;
import io.whence.record.RecordBatch;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * What our index files say of a segment of our own when it is opened. Only what is about the .log
 * as it is counts (I6). Changes nothing. Thread safety: single-writer.
 */
final class SegmentCheckpoint {
  private final SegmentFile log;
  private final Path directory;
  private final long baseOffset;
  private final long logBytes;
  private final long logStartOffset;
  private final BlockIndexFile blockIndexFile;
  private final TimelineFile timelineFile;

  /** Blocks that the log was found to have: both files may be about the same. */
  private @Nullable BlocksSummary confirmed;

  /**
   * Makes a checkpoint; reads nothing yet.
   *
   * @param logBytes how large the .log is
   * @param logStartOffset the earliest offset that a client may read, inclusive
   */
  SegmentCheckpoint(
      SegmentFile log,
      long baseOffset,
      long logBytes,
      long logStartOffset,
      int indexIntervalBytes) {
    this.log = log;
    this.directory = Objects.requireNonNull(log.path().getParent(), "a segment has a directory");
    this.baseOffset = baseOffset;
    this.logBytes = logBytes;
    this.logStartOffset = logStartOffset;
    this.blockIndexFile = BlockIndexFile.ofOwn(directory, baseOffset, indexIntervalBytes);
    this.timelineFile = TimelineFile.ofOwn(directory, baseOffset, indexIntervalBytes);
  }

  /**
   * Where to go on reading.
   *
   * @param builder has what is known
   * @param checkpoint what of that is on disk
   */
  record Resumed(SegmentIndexBuilder builder, Checkpoint checkpoint) {}

  Path directory() {
    return directory;
  }

  long logBytes() {
    return logBytes;
  }

  /**
   * Returns the segment without reading more of the .log than shows that the files are about it, if
   * they cover all of it.
   *
   * @param endOffset where the next segment begins
   * @param checksBlocks whether the blocks are to be as they were written; else that is found out
   *     when they are needed
   */
  Optional<LogSegment> sealed(long endOffset, boolean checksBlocks, LogMemory memory) {
    Optional<TimelineFile.Contents> known =
        timelineFile
            .read(
                summary ->
                    tellsAll(summary)
                        && coversAll(summary.index(), endOffset)
                        && isOfLog(summary.index(), summary.blocks())
                        // Last, since nobody gives back what is taken.
                        && memory.preload().takesAtStart(summary.memoryBytes()))
            .filter(contents -> coversAll(contents.summary().index(), endOffset))
            .filter(contents -> isOfLog(contents.summary().index(), contents.summary().blocks()));
    return known.isPresent() && !checksBlocks && blockIndexFile.hasSizeFor(known.get().summary())
        ? known.map(contents -> sealed(contents, memory))
        : readBlocks()
            .filter(contents -> coversAll(contents.index(), endOffset))
            .map(contents -> sealed(contents, known, memory));
  }

  /** The log start that a timeline was made for is not always on disk when that of it is. */
  private boolean tellsAll(TimelineFile.Summary summary) {
    return summary.timelineStart() <= Math.max(baseOffset, logStartOffset);
  }

  private boolean coversAll(SegmentIndex index, long endOffset) {
    return index.baseOffset() == baseOffset
        && index.sizeBytes() == logBytes
        && index.nextOffset() <= endOffset
        && logBytes > 0;
  }

  private LogSegment sealed(TimelineFile.Contents contents, LogMemory memory) {
    TimelineFile.Summary summary = contents.summary();
    IndexFiles files =
        IndexFiles.withTimeline(
            log, summary.index(), summary.blocks(), blockIndexFile, summary.memoryBytes(), memory);
    return LogSegment.sealed(directory, log, files, contents.timeline());
  }

  /** A directory of an earlier version has no timelines, and a crash may leave none. */
  private LogSegment sealed(
      BlockIndexFile.Contents contents, Optional<TimelineFile.Contents> known, LogMemory memory) {
    BlocksSummary blocks = summaryOf(contents);
    return known
        .filter(timeline -> timeline.summary().blocks().equals(blocks))
        .map(timeline -> sealed(timeline, memory))
        .orElseGet(
            () ->
                LogSegment.sealed(
                    directory,
                    log,
                    IndexFiles.withBlocks(log, contents.index(), blocks, blockIndexFile, memory),
                    Optional.empty()));
  }

  private Optional<BlockIndexFile.Contents> readBlocks() {
    return blockIndexFile
        .read()
        .filter(contents -> contents.index().isWhole())
        .filter(contents -> isOfLog(contents.index(), summaryOf(contents)));
  }

  private static BlocksSummary summaryOf(BlockIndexFile.Contents contents) {
    return BlocksSummary.of(contents.index().blocks().load(), contents.crc());
  }

  /**
   * Tells whether an index can be of the log. The checksum of the index says that it is as it was
   * written; the batch that its last block begins with says that it was written for this log.
   */
  private boolean isOfLog(SegmentIndex index, BlocksSummary blocks) {
    if (index.baseOffset() != baseOffset || index.sizeBytes() > logBytes) {
      return false;
    }
    if (blocks.count() == 0) {
      return index.sizeBytes() == 0;
    }
    if (blocks.equals(confirmed)) {
      return true;
    }
    int position = blocks.lastPosition();
    if (position < 0 || position + BatchFormat.RECORDS > index.sizeBytes()) {
      return false;
    }
    ByteBuffer header = ByteBuffer.allocate(BatchFormat.RECORDS);
    log.read(position, BatchFormat.RECORDS, header);
    RecordBatch batch = new RecordBatch().wrap(header, 0);
    boolean isOfLog =
        batch.magic() == BatchFormat.MAGIC_V2
            && batch.baseOffset() == baseOffset + blocks.lastRelativeBase()
            && batch.lastOffset() == baseOffset + blocks.lastRelativeEnd();
    confirmed = isOfLog ? blocks : confirmed;
    return isOfLog;
  }

  /** Returns where to begin if nothing is known. */
  Resumed fresh() {
    int interval = blockIndexFile.key().indexIntervalBytes();
    return new Resumed(new SegmentIndexBuilder(baseOffset, interval), Checkpoint.NONE);
  }

  /**
   * Returns where to go on reading.
   *
   * @param warnings gets what the operator should know
   */
  Resumed resume(List<String> warnings) {
    Optional<BlockIndexFile.Contents> known = readBlocks();
    if (known.isEmpty() && Files.exists(blockIndexFile.path())) {
      warnings.add(
          "read the log again, since its index is not as written: " + blockIndexFile.path());
    }
    return known.flatMap(this::resumeBehind).orElseGet(this::fresh);
  }

  /**
   * Goes on behind an index with the timeline that belongs to it. That is written after the index,
   * and may be missing or older. Empty if the log doesn't say what the index does: all of it has to
   * be read, and its damage to be reported.
   */
  private Optional<Resumed> resumeBehind(BlockIndexFile.Contents known) {
    SegmentIndex index = known.index();
    Optional<TimelineFile.Contents> stored =
        timelineFile.read(this::tellsAll).filter(contents -> isBefore(contents, index));
    SegmentIndexBuilder records = stored.map(this::recordsOf).orElseGet(() -> fresh().builder());
    SegmentScanner.Result result =
        new SegmentScanner(
                log, index.sizeBytes(), records, SegmentScanner.OnFault.STOP, OptionalLong.empty())
            .scan();
    long timelineStart = stored.map(contents -> contents.summary().timelineStart()).orElse(0L);
    Checkpoint checkpoint =
        new Checkpoint(index.sizeBytes(), Optional.of(summaryOf(known)), false, timelineStart);
    return result
        .timeline()
        .filter(timeline -> result.index().isAbout(index))
        .map(
            timeline ->
                SegmentIndexBuilder.resume(
                    index, Optional.of(timeline), blockIndexFile.key().indexIntervalBytes()))
        .map(builder -> new Resumed(builder, checkpoint));
  }

  private boolean isBefore(TimelineFile.Contents contents, SegmentIndex index) {
    TimelineFile.Summary summary = contents.summary();
    return contents.timeline().isPresent()
        && (summary.index().isAbout(index)
            || (summary.index().sizeBytes() < index.sizeBytes()
                && summary.index().nextOffset() <= index.nextOffset()
                && isOfLog(summary.index(), summary.blocks())));
  }

  private SegmentIndexBuilder recordsOf(TimelineFile.Contents contents) {
    return SegmentIndexBuilder.resume(
        contents.summary().index(), contents.timeline(), blockIndexFile.key().indexIntervalBytes());
  }
}
