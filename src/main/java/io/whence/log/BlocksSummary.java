package io.whence.log;

import java.nio.ByteBuffer;

/**
 * What is known of the blocks of a segment without its block index file. Thread safety: immutable.
 *
 * @param crc the checksum of that file: tells it from all others
 * @param count how many blocks there are
 * @param lastPosition the byte position of the last one; meaningless without blocks, as what
 *     follows
 * @param lastRelativeBase the base offset of its first batch, relative to that of the segment
 * @param lastRelativeEnd the last offset of that batch, relative and inclusive
 */
record BlocksSummary(
    int crc, int count, int lastPosition, int lastRelativeBase, int lastRelativeEnd) {

  static BlocksSummary of(BlockIndex blocks, int crc) {
    int last = blocks.blockCount() - 1;
    return last < 0
        ? new BlocksSummary(crc, 0, 0, 0, 0)
        : new BlocksSummary(
            crc,
            blocks.blockCount(),
            blocks.position(last),
            blocks.relativeBaseOffset(last),
            blocks.relativeFirstLastOffset(last));
  }

  void put(ByteBuffer out) {
    out.putInt(crc).putInt(count);
    out.putInt(lastPosition).putInt(lastRelativeBase).putInt(lastRelativeEnd);
  }

  static BlocksSummary get(ByteBuffer in) {
    return new BlocksSummary(in.getInt(), in.getInt(), in.getInt(), in.getInt(), in.getInt());
  }
}
