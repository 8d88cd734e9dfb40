package io.whence.log;

import io.whence.log.LogSegment.Checkpoint;
import io.whence.record.BatchFormat;
import io.whence.record.RecordBatch;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A segment that was found on disk, read from where the checkpoint of its index ends.
 *
 * @param segment the segment up to its last whole batch
 * @param damages what can't be read between batches that can
 * @param tail what is wrong behind the last whole batch, if there is something behind it
 * @param warnings what the operator should know
 */
record LoadedSegment(
    LogSegment segment, List<Damage> damages, Optional<Damage> tail, List<String> warnings) {

  /**
   * Reads a segment. Changes nothing.
   *
   * @param endOffset where the next segment begins; the largest long if there is none
   */
  static LoadedSegment load(
      Path path, long baseOffset, long endOffset, LogConfig config, LogEnvironment environment)
      throws IOException {
    SegmentFile file = new SegmentFile(path, true, environment.disk());
    long size = Files.size(path);
    if (size > Integer.MAX_VALUE) {
      throw new CorruptFileException(
          path, "its end", "at most " + Integer.MAX_VALUE + " bytes", size + " bytes");
    }
    Path directory = Objects.requireNonNull(path.getParent(), "a segment has a directory");
    int interval = config.size(LogSetting.INDEX_INTERVAL_BYTES);
    BlockIndexFile indexFile = BlockIndexFile.ofOwn(directory, baseOffset, interval);
    Optional<BlockIndexFile.Contents> known =
        indexFile.read().filter(contents -> isOf(contents.index(), baseOffset, file, size));
    List<String> warnings = new ArrayList<>();
    if (known.isEmpty() && Files.exists(indexFile.path())) {
      warnings.add("read the log again, since its index is not as written: " + indexFile.path());
    }
    SegmentIndexBuilder builder =
        known
            .map(
                contents ->
                    SegmentIndexBuilder.resume(contents.index(), Optional.empty(), interval))
            .orElseGet(() -> new SegmentIndexBuilder(baseOffset, interval));
    SegmentScanner.Result result =
        new SegmentScanner(file, size, builder, SegmentScanner.OnFault.SKIP, next(endOffset))
            .scan();
    Checkpoint checkpoint = known.map(LoadedSegment::checkpoint).orElse(Checkpoint.NONE);
    if (builder.nextOffset() > endOffset) {
      // What was found behind damage is not of this log: a payload may hold batches of another.
      builder = new SegmentIndexBuilder(baseOffset, interval);
      result =
          new SegmentScanner(file, size, builder, SegmentScanner.OnFault.STOP, next(endOffset))
              .scan();
      checkpoint = Checkpoint.NONE;
    }
    file.close();
    long nowMs = environment.clock().millis();
    return new LoadedSegment(
        new LogSegment(directory, file, builder, nowMs, checkpoint),
        result.damages(),
        result.tail(),
        warnings);
  }

  private static Checkpoint checkpoint(BlockIndexFile.Contents contents) {
    return new Checkpoint(contents.index().sizeBytes(), true, contents.crc());
  }

  private static OptionalLong next(long endOffset) {
    return endOffset == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(endOffset);
  }

  /**
   * Tells whether an index can be of a log. The checksum of the index says that it is as it was
   * written; the batch that its last block begins with says that it was written for this log.
   */
  private static boolean isOf(SegmentIndex index, long baseOffset, SegmentFile file, long size) {
    if (index.baseOffset() != baseOffset || index.sizeBytes() > size || !index.isWhole()) {
      return false;
    }
    BlockIndex blocks = index.blocks().load();
    int last = blocks.blockCount() - 1;
    if (last < 0) {
      return index.sizeBytes() == 0;
    }
    int position = blocks.position(last);
    if (position < 0 || position + BatchFormat.RECORDS > index.sizeBytes()) {
      return false;
    }
    ByteBuffer header = ByteBuffer.allocate(BatchFormat.RECORDS);
    file.read(position, BatchFormat.RECORDS, header);
    RecordBatch batch = new RecordBatch().wrap(header, 0);
    return batch.magic() == BatchFormat.MAGIC_V2
        && batch.baseOffset() == index.startOffset(blocks, last)
        && batch.lastOffset() == baseOffset + blocks.relativeFirstLastOffset(last);
  }
}
