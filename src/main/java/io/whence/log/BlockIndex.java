package io.whence.log;

import io.whence.model.TimeWindow;

/**
 * The blocks of one segment: runs of whole batches, each begun where Kafka would add an index
 * entry. For every block it has the exact smallest and largest timestamp of the data records in it,
 * so that a search reads only blocks that can hold the answer. Thread safety: immutable.
 *
 * <p>Blocks are numbered from 0. The last one is open: it may grow in a later index, so its figures
 * are held here and not in the shared columns.
 */
final class BlockIndex implements BlockSource {
  /** That of an empty segment. */
  static final BlockIndex NONE = new BlockIndex(new BlockArrays(0), 0, OpenBlock.NEW);

  /** No block. Returned by searches, never stored. */
  static final int NO_BLOCK = -1;

  /** In place of {@link #relativeFirstLastOffset}: the block is bytes that can't be read. */
  static final int NOT_A_BATCH = -1;

  private final BlockArrays columns;
  private final int blockCount;
  private final OpenBlock open;

  /** The figures of the last block. */
  record OpenBlock(long minMs, long maxMs, int recordCount, int timedCount, boolean transactional) {
    static final OpenBlock NEW = new OpenBlock(Long.MAX_VALUE, Long.MIN_VALUE, 0, 0, false);

    OpenBlock plus(BatchStats batch) {
      return new OpenBlock(
          Math.min(minMs, batch.minMs()),
          Math.max(maxMs, batch.maxMs()),
          recordCount + batch.recordCount(),
          timedCount + batch.timedCount(),
          transactional || batch.transaction().kind() == TransactionEvent.Kind.DATA);
    }
  }

  BlockIndex(BlockArrays columns, int blockCount, OpenBlock open) {
    this.columns = columns;
    this.blockCount = blockCount;
    this.open = open;
  }

  OpenBlock open() {
    return open;
  }

  /** Returns a copy of the columns with room for {@code capacity} blocks. */
  BlockArrays copyColumns(int capacity) {
    return columns.copyOf(Math.max(capacity, columns.capacity()));
  }

  @Override
  public BlockIndex load() {
    return this;
  }

  @Override
  public int blockCount() {
    return blockCount;
  }

  @Override
  public boolean isWhole() {
    for (int block = 0; block < blockCount; block++) {
      if (relativeFirstLastOffset(block) == NOT_A_BATCH) {
        return false;
      }
    }
    return true;
  }

  /** Returns how much memory it takes, about. */
  long sizeInBytes() {
    return columns.sizeInBytes();
  }

  int position(int block) {
    return columns.positions[block];
  }

  /** Returns the base offset of the first batch, relative to that of the segment. */
  int relativeBaseOffset(int block) {
    return columns.baseOffsets[block];
  }

  /** Returns the last offset of the first batch, relative to the base offset of the segment. */
  int relativeFirstLastOffset(int block) {
    return columns.firstLastOffsets[block];
  }

  /**
   * Returns the largest header timestamp up to and including the first batch; negative for none.
   */
  long headerMaxMs(int block) {
    return columns.headerMaxMs[block];
  }

  /** Returns the last offset, relative, of the first batch that reached {@link #headerMaxMs}. */
  int relativeHeaderMaxOffset(int block) {
    return columns.headerMaxOffsets[block];
  }

  long minMs(int block) {
    return isOpen(block) ? open.minMs() : columns.minMs[block];
  }

  long maxMs(int block) {
    return isOpen(block) ? open.maxMs() : columns.maxMs[block];
  }

  int recordCount(int block) {
    return isOpen(block) ? open.recordCount() : columns.recordCounts[block];
  }

  int timedCount(int block) {
    return isOpen(block) ? open.timedCount() : columns.timedCounts[block];
  }

  boolean isTransactional(int block) {
    return isOpen(block) ? open.transactional() : columns.transactional[block];
  }

  /** Returns the last block that begins at or below an offset; the first one if none does. */
  int floorBlock(long relativeOffset) {
    int low = 0;
    int high = blockCount - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (columns.baseOffsets[middle] <= relativeOffset) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return blockCount == 0 ? NO_BLOCK : low;
  }

  /** Returns the first block from {@code from} on with a record at or after a time. */
  int firstReaching(int from, long timestampMs) {
    for (int block = from; block < blockCount; block++) {
      if (startsClosedGroup(block)
          && columns.groupMaxMs[block / BlockArrays.GROUP_SIZE] < timestampMs) {
        block += BlockArrays.GROUP_SIZE - 1;
      } else if (hasTimes(block) && maxMs(block) >= timestampMs) {
        return block;
      }
    }
    return NO_BLOCK;
  }

  /** Returns the last block up to {@code from} with a record at or before a time. */
  int lastReachingDownTo(int from, long timestampMs) {
    for (int block = from; block >= 0; block--) {
      if (endsClosedGroup(block)
          && columns.groupMinMs[block / BlockArrays.GROUP_SIZE] > timestampMs) {
        block -= BlockArrays.GROUP_SIZE - 1;
      } else if (hasTimes(block) && minMs(block) <= timestampMs) {
        return block;
      }
    }
    return NO_BLOCK;
  }

  /** Returns the first block from {@code from} on whose times overlap a window. */
  int firstOverlapping(int from, TimeWindow window) {
    for (int block = firstReaching(from, window.fromMs());
        block != NO_BLOCK;
        block = firstReaching(block + 1, window.fromMs())) {
      if (minMs(block) < window.toMs()) {
        return block;
      }
    }
    return NO_BLOCK;
  }

  /** Returns the last block up to {@code from} whose times overlap a window. */
  int lastOverlapping(int from, TimeWindow window) {
    for (int block = from; block >= 0; block--) {
      if (hasTimes(block) && minMs(block) < window.toMs() && maxMs(block) >= window.fromMs()) {
        return block;
      }
    }
    return NO_BLOCK;
  }

  boolean hasTimes(int block) {
    return timedCount(block) > 0;
  }

  private boolean isOpen(int block) {
    return block == blockCount - 1;
  }

  private boolean startsClosedGroup(int block) {
    return block % BlockArrays.GROUP_SIZE == 0 && block + BlockArrays.GROUP_SIZE < blockCount;
  }

  private boolean endsClosedGroup(int block) {
    return block % BlockArrays.GROUP_SIZE == BlockArrays.GROUP_SIZE - 1 && block < blockCount - 1;
  }
}
