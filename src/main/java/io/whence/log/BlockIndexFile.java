package io.whence.log;

import io.whence.log.BlockIndex.OpenBlock;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/**
 * The file in which a segment index outlives the process: {@code <base offset>.blockindex}. It is
 * only ever a copy of what the .log says, so one that is missing, stale, of another version or
 * damaged is the same as none: the log is read again (I6). Thread safety: thread-safe.
 *
 * <pre>
 * int32  magic "WHBI"            int64  fingerprint of the .log file
 * int32  version 1               int32  index.interval.bytes
 * figures, see {@link IndexBytes}
 * int32  block count, then per block:
 *        int32 position, base offset, last offset of the first batch, record count, timed count,
 *        offset of the largest header timestamp; int64 that timestamp, minimum, maximum;
 *        int8 transactional
 * events, see {@link IndexBytes}
 * int32  CRC-32C of all bytes before
 * </pre>
 */
final class BlockIndexFile {
  static final String SUFFIX = ".blockindex";

  private static final int MAGIC = 0x57484249;
  private static final int VERSION = 1;
  private static final int HEADER_BYTES = 4 * Integer.BYTES + Long.BYTES + IndexBytes.FIGURES_BYTES;
  private static final int BLOCK_BYTES = 6 * Integer.BYTES + 3 * Long.BYTES + 1;

  private final Path path;
  private final Key key;

  /** Names a file; touches none. */
  BlockIndexFile(Path path, Key key) {
    this.path = path;
    this.key = key;
  }

  /** Names the file of a segment that this server owns. */
  static BlockIndexFile ofOwn(Path directory, long baseOffset, int indexIntervalBytes) {
    Path path = SegmentNames.path(directory, baseOffset, SUFFIX);
    return new BlockIndexFile(path, Key.ofOwn(directory, baseOffset, indexIntervalBytes));
  }

  /**
   * What an index is of and how it is made.
   *
   * @param fingerprint tells the .log file from another one
   * @param indexIntervalBytes how much of it is a block
   */
  record Key(long fingerprint, int indexIntervalBytes) {
    /**
     * Returns the key of a segment of our own: another partition may have one of the same shape.
     */
    static Key ofOwn(Path directory, long baseOffset, int indexIntervalBytes) {
      Path partition = directory.toAbsolutePath().getFileName();
      return new Key(31 * baseOffset + String.valueOf(partition).hashCode(), indexIntervalBytes);
    }
  }

  /**
   * What a file says.
   *
   * @param index the index with its blocks
   * @param crc tells the file from all others
   */
  record Contents(SegmentIndex index, int crc) {}

  Path path() {
    return path;
  }

  Key key() {
    return key;
  }

  /** Writes an index; on disk when this returns. Returns its checksum. */
  int write(SegmentIndex index) throws IOException {
    byte[] bytes = encode(index, key);
    new AtomicFile(path).write(bytes);
    return crcOf(bytes);
  }

  /** Returns what a file with an index says. The same index gives the same bytes. */
  static byte[] encode(SegmentIndex index, Key key) {
    BlockIndex blocks = index.blocks().load();
    ByteBuffer out =
        ByteBuffer.allocate(
            HEADER_BYTES
                + blocks.blockCount() * BLOCK_BYTES
                + IndexBytes.eventsBytes(index)
                + Integer.BYTES);
    putHeader(out, index, key);
    for (int block = 0; block < blocks.blockCount(); block++) {
      putBlock(out, blocks, block);
    }
    IndexBytes.putEvents(out, index);
    out.putInt(IndexBytes.crcOf(out.array(), 0, out.position()));
    return Arrays.copyOf(out.array(), out.position());
  }

  /** Returns the checksum that encoded bytes end in. */
  static int crcOf(byte[] encoded) {
    return ByteBuffer.wrap(encoded).getInt(encoded.length - Integer.BYTES);
  }

  /** Returns whether the file is there and as large as it was; says nothing of what is in it. */
  boolean hasSizeFor(TimelineFile.Summary summary) {
    long expected =
        HEADER_BYTES
            + (long) summary.blocks().count() * BLOCK_BYTES
            + IndexBytes.eventsBytes(summary.index())
            + Integer.BYTES;
    try {
      return Files.size(path) == expected;
    } catch (IOException e) {
      return false;
    }
  }

  /** Reads an index, if the file is there, whole, of this version and about this .log file. */
  Optional<Contents> read() {
    byte[] bytes;
    try {
      bytes = Files.readAllBytes(path);
    } catch (IOException e) {
      return Optional.empty(); // Not there, or not to be read: the log says the same.
    }
    int end = bytes.length - Integer.BYTES;
    if (end < HEADER_BYTES || crcOf(bytes) != IndexBytes.crcOf(bytes, 0, end)) {
      return Optional.empty();
    }
    ByteBuffer in = ByteBuffer.wrap(bytes, 0, end);
    if (in.getInt() != MAGIC || in.getInt() != VERSION) {
      return Optional.empty();
    }
    if (in.getLong() != key.fingerprint() || in.getInt() != key.indexIntervalBytes()) {
      return Optional.empty();
    }
    try {
      return Optional.of(new Contents(getIndex(in), crcOf(bytes)));
    } catch (BufferUnderflowException | IllegalArgumentException e) {
      // A right checksum over a wrong layout: written by something else. As good as no file.
      return Optional.empty();
    }
  }

  private static void putHeader(ByteBuffer out, SegmentIndex index, Key key) {
    out.putInt(MAGIC).putInt(VERSION);
    out.putLong(key.fingerprint()).putInt(key.indexIntervalBytes());
    IndexBytes.putFigures(out, index);
    out.putInt(index.blocks().blockCount());
  }

  private static void putBlock(ByteBuffer out, BlockIndex blocks, int block) {
    out.putInt(blocks.position(block));
    out.putInt(blocks.relativeBaseOffset(block)).putInt(blocks.relativeFirstLastOffset(block));
    out.putInt(blocks.recordCount(block)).putInt(blocks.timedCount(block));
    out.putInt(blocks.relativeHeaderMaxOffset(block)).putLong(blocks.headerMaxMs(block));
    out.putLong(blocks.minMs(block)).putLong(blocks.maxMs(block));
    out.put((byte) (blocks.isTransactional(block) ? 1 : 0));
  }

  private static SegmentIndex getIndex(ByteBuffer in) {
    SegmentIndex figures = IndexBytes.getFigures(in);
    BlockIndex blocks = getBlocks(in);
    return figures.withTransactions(IndexBytes.getEvents(in)).withBlocks(blocks);
  }

  private static BlockIndex getBlocks(ByteBuffer in) {
    int count = in.getInt();
    if (count < 0 || (long) count * BLOCK_BYTES > in.remaining()) {
      throw new IllegalArgumentException("block count " + count);
    }
    BlockArrays columns = new BlockArrays(Math.max(count, 1));
    OpenBlock open = OpenBlock.NEW;
    for (int block = 0; block < count; block++) {
      open = getBlock(in, columns, block);
    }
    return new BlockIndex(columns, count, open);
  }

  private static OpenBlock getBlock(ByteBuffer in, BlockArrays columns, int block) {
    columns.positions[block] = in.getInt();
    columns.baseOffsets[block] = in.getInt();
    columns.firstLastOffsets[block] = in.getInt();
    columns.recordCounts[block] = in.getInt();
    columns.timedCounts[block] = in.getInt();
    columns.headerMaxOffsets[block] = in.getInt();
    columns.headerMaxMs[block] = in.getLong();
    columns.minMs[block] = in.getLong();
    columns.maxMs[block] = in.getLong();
    columns.transactional[block] = in.get() == 1;
    if (block % BlockArrays.GROUP_SIZE == BlockArrays.GROUP_SIZE - 1) {
      columns.closeGroup(block);
    }
    return new OpenBlock(
        columns.minMs[block],
        columns.maxMs[block],
        columns.recordCounts[block],
        columns.timedCounts[block],
        columns.transactional[block]);
  }
}
