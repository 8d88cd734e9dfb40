package io.whence.log;

import io.whence.record.BatchFormat;
import io.whence.record.RecordBatch;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * Cuts the end off the files of a followed log. What readers of older snapshots have stays as it
 * was: the segment that is cut gets a new file. Invariant: after a crash the files hold the log up
 * to where it is cut, or to some offset between there and its old end, or less. Thread safety:
 * single-writer; the lock of the log guards it.
 */
final class FollowedCut {
  private static final int COPY_BYTES = 1 << 20;

  private final Path directory;
  private final LogEnvironment environment;

  FollowedCut(Path directory, LogEnvironment environment) {
    this.directory = directory;
    this.environment = environment;
  }

  /**
   * Cuts off whole batches, up to the first that has an offset from there on.
   *
   * @param segments by base offset; none of them must be used any more but for {@link
   *     LogSegment#file}
   * @param endOffset where the log is to end, exclusive
   */
  void cut(List<LogSegment> segments, long endOffset) throws IOException {
    for (int i = segments.size() - 1; i >= 0; i--) {
      LogSegment segment = segments.get(i);
      if (segment.nextOffset() <= endOffset && segment.baseOffset() < endOffset) {
        return;
      }
      CommittedFile.delete(directory, segment.baseOffset());
      int position = segment.baseOffset() < endOffset ? positionOf(segment, endOffset) : 0;
      if (position > 0) {
        shorten(segment, position);
        return;
      }
      environment.deleter().deleteLater(segment.markDeleted());
    }
  }

  /** Returns where the first batch begins that has an offset at or above another. */
  private static int positionOf(LogSegment segment, long offset) {
    SegmentIndex index = segment.view().index();
    BlockIndex blocks = index.blocks().load();
    int block = blocks.floorBlock(offset - index.baseOffset());
    if (block == BlockIndex.NO_BLOCK) {
      return 0;
    }
    int position = blocks.position(block);
    int end = index.endPosition(blocks, block);
    BatchHeaders headers = new BatchHeaders(segment.file());
    while (position < end) {
      RecordBatch batch = headers.at(position);
      if (batch.lastOffset() >= offset) {
        return position;
      }
      position += (int) batch.sizeInBytes();
    }
    return position;
  }

  /**
   * Returns the leader epoch of the last batch of a segment.
   *
   * @return negative for none
   */
  static int lastEpoch(SegmentView segment) {
    SegmentIndex index = segment.index();
    BlockIndex blocks = index.blocks().load();
    int epoch = FollowPosition.NO_EPOCH;
    if (blocks.blockCount() > 0) {
      BatchHeaders headers = new BatchHeaders(segment.file());
      int position = blocks.position(blocks.blockCount() - 1);
      while (position < index.sizeBytes()) {
        RecordBatch batch = headers.at(position);
        epoch = batch.partitionLeaderEpoch();
        position += (int) batch.sizeInBytes();
      }
    }
    return epoch;
  }

  /** Reads the headers of batches. */
  private record BatchHeaders(SegmentFile file, ByteBuffer header, RecordBatch batch) {
    BatchHeaders(SegmentFile file) {
      this(file, ByteBuffer.allocate(BatchFormat.RECORDS), new RecordBatch());
    }

    RecordBatch at(int position) {
      file.read(position, BatchFormat.RECORDS, header);
      batch.wrap(header, 0);
      if (batch.magic() != BatchFormat.MAGIC_V2 || batch.sizeInBytes() < BatchFormat.RECORDS) {
        throw new CorruptFileException(
            file.path(), "byte " + position, "the header of a batch", "magic " + batch.magic());
      }
      return batch;
    }
  }

  private void shorten(LogSegment segment, int sizeBytes) throws IOException {
    Path log = segment.file().path();
    Path copy = log.resolveSibling(log.getFileName() + SegmentNames.CLEANED);
    copyHead(segment.file(), sizeBytes, copy);
    environment.deleter().deleteLater(segment.markDeleted());
    Files.move(copy, log, StandardCopyOption.ATOMIC_MOVE);
    AtomicFile.forceDirectory(directory);
  }

  private static void copyHead(SegmentFile from, int sizeBytes, Path to) throws IOException {
    ByteBuffer chunk = ByteBuffer.allocate(Math.min(sizeBytes, COPY_BYTES));
    try (FileChannel out =
        FileChannel.open(
            to,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING)) {
      for (int done = 0; done < sizeBytes; done += chunk.limit()) {
        from.read(done, Math.min(chunk.capacity(), sizeBytes - done), chunk);
        while (chunk.hasRemaining()) {
          out.write(chunk);
        }
      }
      out.force(true);
    }
  }
}
