package io.whence.log;

/**
 * The columns of a block index, one entry a block. An entry is never changed once a published
 * {@link BlockIndex} counts it as closed; full columns are replaced by larger copies. Thread
 * safety: single-writer.
 */
final class BlockArrays {
  /** How many blocks share one entry of the group columns. */
  static final int GROUP_SIZE = 64;

  /** What the objects take besides their entries, about. */
  private static final int OBJECT_BYTES = 512;

  /** Byte position in the .log of the first batch of the block. */
  final int[] positions;

  /** Base offset of that batch, relative to the base offset of the segment. */
  final int[] baseOffsets;

  /** Last offset of that batch, relative: what Kafka's offset index stores. */
  final int[] firstLastOffsets;

  /** Largest header timestamp of the segment up to and including that batch; negative for none. */
  final long[] headerMaxMs;

  /** Last offset of the first batch that reached it, relative: what Kafka's time index stores. */
  final int[] headerMaxOffsets;

  /** Smallest and largest timestamp of the timed records; min above max when there are none. */
  final long[] minMs;

  final long[] maxMs;

  /** How many data records, and how many of them are timed. */
  final int[] recordCounts;

  final int[] timedCounts;

  /** Whether a batch of the block belongs to a transaction. */
  final boolean[] transactional;

  /** Smallest and largest timestamp of each whole group of closed blocks. */
  final long[] groupMinMs;

  final long[] groupMaxMs;

  BlockArrays(int capacity) {
    positions = new int[capacity];
    baseOffsets = new int[capacity];
    firstLastOffsets = new int[capacity];
    headerMaxMs = new long[capacity];
    headerMaxOffsets = new int[capacity];
    minMs = new long[capacity];
    maxMs = new long[capacity];
    recordCounts = new int[capacity];
    timedCounts = new int[capacity];
    transactional = new boolean[capacity];
    groupMinMs = new long[capacity / GROUP_SIZE + 1];
    groupMaxMs = new long[capacity / GROUP_SIZE + 1];
  }

  int capacity() {
    return positions.length;
  }

  /** Returns how much memory they take, about. */
  long sizeInBytes() {
    return OBJECT_BYTES
        + (long) capacity() * (6 * Integer.BYTES + 3 * Long.BYTES + 1)
        + (long) groupMinMs.length * 2 * Long.BYTES;
  }

  /** Returns a copy with room for {@code capacity} blocks, not fewer than now. */
  BlockArrays copyOf(int capacity) {
    BlockArrays copy = new BlockArrays(capacity);
    int count = capacity();
    System.arraycopy(positions, 0, copy.positions, 0, count);
    System.arraycopy(baseOffsets, 0, copy.baseOffsets, 0, count);
    System.arraycopy(firstLastOffsets, 0, copy.firstLastOffsets, 0, count);
    System.arraycopy(headerMaxMs, 0, copy.headerMaxMs, 0, count);
    System.arraycopy(headerMaxOffsets, 0, copy.headerMaxOffsets, 0, count);
    System.arraycopy(minMs, 0, copy.minMs, 0, count);
    System.arraycopy(maxMs, 0, copy.maxMs, 0, count);
    System.arraycopy(recordCounts, 0, copy.recordCounts, 0, count);
    System.arraycopy(timedCounts, 0, copy.timedCounts, 0, count);
    System.arraycopy(transactional, 0, copy.transactional, 0, count);
    System.arraycopy(groupMinMs, 0, copy.groupMinMs, 0, groupMinMs.length);
    System.arraycopy(groupMaxMs, 0, copy.groupMaxMs, 0, groupMaxMs.length);
    return copy;
  }

  /** Fills the group columns of the group whose last block is {@code lastBlock}. */
  void closeGroup(int lastBlock) {
    int group = lastBlock / GROUP_SIZE;
    long min = Long.MAX_VALUE;
    long max = Long.MIN_VALUE;
    for (int block = group * GROUP_SIZE; block <= lastBlock; block++) {
      min = Math.min(min, minMs[block]);
      max = Math.max(max, maxMs[block]);
    }
    groupMinMs[group] = min;
    groupMaxMs[group] = max;
  }
}
