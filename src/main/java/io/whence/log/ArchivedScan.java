package io.whence.log;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.OptionalLong;

/** Reads whole archived segments, and leaves no file open. Thread safety: thread-safe. */
final class ArchivedScan {
  /** Kafka's default; how dense our own index is needn't be how dense Kafka's is. */
  static final int INDEX_INTERVAL_BYTES = 4096;

  private ArchivedScan() {}

  /**
   * Reads a segment from front to back.
   *
   * @param nextSegment the base offset of the segment behind, if there is one
   * @throws IOException if the file is larger than a segment can be
   */
  static SegmentScanner.Result of(
      SegmentFile file, long baseOffset, SegmentScanner.OnFault onFault, OptionalLong nextSegment)
      throws IOException {
    try {
      long size = file.size();
      if (size > Integer.MAX_VALUE) {
        throw new IOException(file.path() + ": expected at most 2^31-1 bytes, found " + size);
      }
      SegmentIndexBuilder builder = new SegmentIndexBuilder(baseOffset, INDEX_INTERVAL_BYTES);
      return new SegmentScanner(file, size, builder, onFault, nextSegment).scan();
    } finally {
      // Archives have more segments than a process may have open files.
      file.close();
    }
  }

  /** Returns the offset after the last whole batch of a {@code .log.swap} file. */
  static long nextOffset(Path swap) {
    long baseOffset =
        SegmentNames.baseOffset(
                String.valueOf(swap.getFileName()), SegmentNames.LOG + SegmentNames.SWAP)
            .orElseThrow();
    SegmentFile file = new SegmentFile(swap, false);
    try {
      return of(file, baseOffset, SegmentScanner.OnFault.STOP, OptionalLong.empty())
          .index()
          .nextOffset();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
