package io.whence.log;

import java.util.List;

/**
 * What is known of the contents of a segment without its .log file. Thread safety: immutable.
 *
 * @param baseOffset the smallest offset that the segment may hold
 * @param nextOffset the offset after its last batch, exclusive; the base offset when it is empty
 * @param sizeBytes how many bytes of the .log file it covers
 * @param blocks the blocks
 * @param timestamps the timestamps of its data records
 * @param transactions data and markers of transactions, by offset: the first data batch of a
 *     producer since its last marker, and each marker
 * @param headerMaxMs the largest header timestamp; negative for none
 * @param headerMaxOffset the last offset of the first batch that reached it
 * @param firstBatchMaxMs the largest header timestamp of the first batch; negative for none
 */
record SegmentIndex(
    long baseOffset,
    long nextOffset,
    int sizeBytes,
    BlockIndex blocks,
    TimestampHealth timestamps,
    List<TransactionEvent> transactions,
    long headerMaxMs,
    long headerMaxOffset,
    long firstBatchMaxMs) {

  /** Returns whether every byte that it covers belongs to a batch that can be read. */
  boolean isWhole() {
    for (int block = 0; block < blocks.blockCount(); block++) {
      if (blocks.relativeFirstLastOffset(block) == BlockIndex.NOT_A_BATCH) {
        return false;
      }
    }
    return true;
  }

  /** Returns the offset of the first batch after a block, exclusive end of the records in it. */
  long endOffset(int block) {
    return block + 1 < blocks.blockCount()
        ? baseOffset + blocks.relativeBaseOffset(block + 1)
        : nextOffset;
  }

  /** Returns the base offset of the first batch of a block. */
  long startOffset(int block) {
    return baseOffset + blocks.relativeBaseOffset(block);
  }

  /** Returns the byte position after a block. */
  int endPosition(int block) {
    return block + 1 < blocks.blockCount() ? blocks.position(block + 1) : sizeBytes;
  }
}
