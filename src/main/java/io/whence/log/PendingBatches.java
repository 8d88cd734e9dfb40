package io.whence.log;

/**
 * Batches that are going to be appended to a segment together. Thread safety: immutable.
 *
 * @param bytes how many bytes they take
 * @param batches how many they are
 */
record PendingBatches(int bytes, int batches) {
  static final PendingBatches NONE = new PendingBatches(0, 0);

  /** Returns how many entries of an index they take, at the most. */
  long entries(int indexIntervalBytes) {
    return batches == 0 ? 0 : Math.min(batches, bytes / (indexIntervalBytes + 1L) + 1);
  }
}
