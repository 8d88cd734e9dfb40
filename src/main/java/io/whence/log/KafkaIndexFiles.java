package io.whence.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Kafka's two index files of a segment, made from our own index. We never read them to answer
 * anything (nothing in them tells a right entry from a wrong one); Kafka and its tools do. Thread
 * safety: thread-safe.
 *
 * <pre>
 * .index      8 bytes an entry:  int32 last offset of a batch, relative; int32 position of the batch
 * .timeindex  12 bytes an entry: int64 largest timestamp so far; int32 last offset, relative, of the
 *             first batch that reached it. Timestamps strictly increase.
 * </pre>
 *
 * There is an entry for each block but the first, in the time index only where the largest
 * timestamp grew, and a closing one with the largest timestamp of the segment.
 */
final class KafkaIndexFiles {
  static final int OFFSET_ENTRY_BYTES = 2 * Integer.BYTES;
  static final int TIME_ENTRY_BYTES = Long.BYTES + Integer.BYTES;

  private KafkaIndexFiles() {}

  /**
   * Writes the files that are missing or not as they should be.
   *
   * @return which files existed with other contents
   */
  static List<Path> repair(Path directory, SegmentIndex index) throws IOException {
    List<Path> wrong = new ArrayList<>();
    repair(
        SegmentNames.path(directory, index.baseOffset(), SegmentNames.OFFSET_INDEX),
        offsetIndex(index),
        wrong);
    repair(
        SegmentNames.path(directory, index.baseOffset(), SegmentNames.TIME_INDEX),
        timeIndex(index),
        wrong);
    return wrong;
  }

  private static void repair(Path path, byte[] expected, List<Path> wrong) throws IOException {
    try {
      if (Arrays.equals(expected, Files.readAllBytes(path))) {
        return;
      }
      wrong.add(path);
    } catch (NoSuchFileException e) {
      // Written below, as after a crash.
    }
    new AtomicFile(path).write(expected);
  }

  static byte[] offsetIndex(SegmentIndex index) {
    BlockIndex blocks = index.blocks().load();
    ByteBuffer entries = ByteBuffer.allocate(blocks.blockCount() * OFFSET_ENTRY_BYTES);
    for (int block = 1; block < blocks.blockCount(); block++) {
      if (blocks.relativeFirstLastOffset(block) != BlockIndex.NOT_A_BATCH) {
        entries.putInt(blocks.relativeFirstLastOffset(block)).putInt(blocks.position(block));
      }
    }
    return Arrays.copyOf(entries.array(), entries.position());
  }

  static byte[] timeIndex(SegmentIndex index) {
    BlockIndex blocks = index.blocks().load();
    ByteBuffer entries = ByteBuffer.allocate((blocks.blockCount() + 1) * TIME_ENTRY_BYTES);
    long lastMs = -1;
    for (int block = 1; block < blocks.blockCount(); block++) {
      if (blocks.headerMaxMs(block) > lastMs) {
        lastMs = blocks.headerMaxMs(block);
        entries.putLong(lastMs).putInt(blocks.relativeHeaderMaxOffset(block));
      }
    }
    if (index.headerMaxMs() > lastMs) {
      int relativeOffset = (int) (index.headerMaxOffset() - index.baseOffset());
      entries.putLong(index.headerMaxMs()).putInt(relativeOffset);
    }
    return Arrays.copyOf(entries.array(), entries.position());
  }
}
