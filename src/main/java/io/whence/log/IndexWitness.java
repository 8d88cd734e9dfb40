package io.whence.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * What a broker's own index files say of records that a .log file no longer holds. A file that was
 * emptied, or cut between two batches, shows in nothing else: to offsets alone it looks compacted.
 * Indexes are not trusted for anything but this. Only looks. Thread safety: thread-safe.
 */
final class IndexWitness {
  private static final int OFFSET_ENTRY_BYTES = 8;
  private static final int OFFSET_IN_OFFSET_ENTRY = 0;
  private static final int TIME_ENTRY_BYTES = 12;
  private static final int OFFSET_IN_TIME_ENTRY = 8;

  private IndexWitness() {}

  /**
   * Returns the highest offset in a gap that an index of the segment names, if one does.
   *
   * @param log the .log file
   * @param gap offsets that the file should hold and doesn't
   */
  static OptionalLong lastOffsetIn(OffsetGap gap, Path log) {
    long inIndex =
        highest(gap, log, SegmentNames.OFFSET_INDEX, OFFSET_ENTRY_BYTES, OFFSET_IN_OFFSET_ENTRY);
    long inTimeIndex =
        highest(gap, log, SegmentNames.TIME_INDEX, TIME_ENTRY_BYTES, OFFSET_IN_TIME_ENTRY);
    long last = Math.max(inIndex, inTimeIndex);
    return last < 0 ? OptionalLong.empty() : OptionalLong.of(last);
  }

  /**
   * Offsets that are missing.
   *
   * @param baseOffset of the segment
   * @param startOffset the first that is missing
   * @param endOffset exclusive
   */
  record OffsetGap(long baseOffset, long startOffset, long endOffset) {}

  private static long highest(
      OffsetGap gap, Path log, String suffix, int entryBytes, int offsetAt) {
    String name = String.valueOf(log.getFileName());
    Path file =
        log.resolveSibling(name.substring(0, name.length() - SegmentNames.LOG.length()) + suffix);
    ByteBuffer entries;
    try {
      if (!Files.isRegularFile(file)) {
        return -1;
      }
      entries = ByteBuffer.wrap(Files.readAllBytes(file));
    } catch (IOException e) {
      return -1; // It says nothing.
    }
    long highest = -1;
    for (int at = 0; at + entryBytes <= entries.limit(); at += entryBytes) {
      int relative = entries.getInt(at + offsetAt);
      boolean unused = entries.getLong(at) == 0; // Indexes of a killed broker end in zeros.
      long offset = gap.baseOffset() + relative;
      if (!unused && offset >= gap.startOffset() && offset < gap.endOffset()) {
        highest = Math.max(highest, offset);
      }
    }
    return highest;
  }
}
