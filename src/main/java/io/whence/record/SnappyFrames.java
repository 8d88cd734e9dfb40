package io.whence.record;

import java.nio.ByteBuffer;

/**
 * Checks the lengths inside snappy data, which the codec allocates by without asking whether they
 * can be true. Invariant: data that passes makes the codec allocate no more than its own size and
 * the limit. Thread safety: thread-safe, it has no state.
 *
 * <p>Two forms are in use. Java clients write frames:
 *
 * <pre>
 *   0  8 bytes  0x82 "SNAPPY" 0
 *   8  int32    version
 *  12  int32    oldest version that can read it
 *  16  chunks   int32 size, then a snappy block of that size
 * </pre>
 *
 * Some other clients write one bare snappy block. A block starts with its decompressed length as an
 * unsigned varint. Frames may follow each other; the codec goes down one level of recursion at each
 * header, so a header must be followed by a chunk.
 */
final class SnappyFrames {
  private static final long FRAME_MAGIC = 0x82_53_4E_41_50_50_59_00L;
  private static final int HEADER_BYTES = 16;
  private static final int FRAME_MAGIC_START = (int) (FRAME_MAGIC >>> Integer.SIZE);

  private SnappyFrames() {}

  /**
   * Checks data.
   *
   * @param data the bytes, from position to limit; neither is moved
   * @param maxBytes how many bytes a block may decompress to
   * @throws InvalidBatchException if a length can't be true or is above the limit
   */
  static void check(ByteBuffer data, int maxBytes) {
    int position = data.position();
    if (data.remaining() < HEADER_BYTES || data.getLong(position) != FRAME_MAGIC) {
      checkBlock(data, position, data.limit(), maxBytes);
      return;
    }
    position += HEADER_BYTES;
    boolean afterHeader = true;
    // The codec takes less than four bytes at the end for the end.
    while (data.limit() - position >= Integer.BYTES) {
      int size = data.getInt(position);
      if (size == FRAME_MAGIC_START && !afterHeader) {
        position += HEADER_BYTES;
        afterHeader = true;
        continue;
      }
      position += Integer.BYTES;
      if (size < 0 || size > data.limit() - position) {
        throw new InvalidBatchException(
            "expected a snappy chunk of at most "
                + (data.limit() - position)
                + " bytes, found one of "
                + size);
      }
      checkBlock(data, position, position + size, maxBytes);
      position += size;
      afterHeader = false;
    }
  }

  private static void checkBlock(ByteBuffer data, int start, int end, int maxBytes) {
    long length = 0;
    int position = start;
    for (int shift = 0; position < end && shift < 5 * 7; shift += 7) {
      byte next = data.get(position++);
      length |= (long) (next & 0x7F) << shift;
      if (next >= 0) {
        break;
      }
    }
    if (length > maxBytes) {
      throw new InvalidBatchException(
          "expected at most "
              + maxBytes
              + " bytes of decompressed records, found a snappy block of "
              + length);
    }
  }
}
