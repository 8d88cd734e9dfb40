package io.whence.log;

import io.whence.model.OffsetRange;
import java.util.List;

/**
 * What is known of the contents of a segment without its .log file. Thread safety: immutable.
 *
 * @param baseOffset the smallest offset that the segment may hold
 * @param nextOffset the offset after its last batch, exclusive; the base offset when it is empty
 * @param sizeBytes how many bytes of the .log file it covers
 * @param blocks the blocks; those of a segment that is no longer appended to are mostly in a file
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
    BlockSource blocks,
    TimestampHealth timestamps,
    List<TransactionEvent> transactions,
    long headerMaxMs,
    long headerMaxOffset,
    long firstBatchMaxMs) {

  /** Returns whether every byte that it covers belongs to a batch that can be read. */
  boolean isWhole() {
    return blocks.isWhole();
  }

  /** Returns the offsets that it covers. */
  OffsetRange offsets() {
    return new OffsetRange(baseOffset, nextOffset);
  }

  /** Returns the same with the timestamps of a part of its records. */
  SegmentIndex withTimestamps(TimestampHealth some) {
    return new SegmentIndex(
        baseOffset,
        nextOffset,
        sizeBytes,
        blocks,
        some,
        transactions,
        headerMaxMs,
        headerMaxOffset,
        firstBatchMaxMs);
  }

  /** Returns the same with its blocks elsewhere. */
  SegmentIndex withBlocks(BlockSource elsewhere) {
    return new SegmentIndex(
        baseOffset,
        nextOffset,
        sizeBytes,
        elsewhere,
        timestamps,
        transactions,
        headerMaxMs,
        headerMaxOffset,
        firstBatchMaxMs);
  }

  /** Returns the same with other events of transactions. */
  SegmentIndex withTransactions(List<TransactionEvent> events) {
    return new SegmentIndex(
        baseOffset,
        nextOffset,
        sizeBytes,
        blocks,
        timestamps,
        events,
        headerMaxMs,
        headerMaxOffset,
        firstBatchMaxMs);
  }

  /** Returns whether it can be about the same bytes as another one. */
  boolean isAbout(SegmentIndex other) {
    return baseOffset == other.baseOffset
        && nextOffset == other.nextOffset
        && sizeBytes == other.sizeBytes
        && timestamps.equals(other.timestamps)
        && transactions.equals(other.transactions);
  }

  /** Returns the offset of the first batch after a block, exclusive end of the records in it. */
  long endOffset(BlockIndex all, int block) {
    return block + 1 < all.blockCount()
        ? baseOffset + all.relativeBaseOffset(block + 1)
        : nextOffset;
  }

  /** Returns the base offset of the first batch of a block. */
  long startOffset(BlockIndex all, int block) {
    return baseOffset + all.relativeBaseOffset(block);
  }

  /** Returns the byte position after a block. */
  int endPosition(BlockIndex all, int block) {
    return block + 1 < all.blockCount() ? all.position(block + 1) : sizeBytes;
  }
}
