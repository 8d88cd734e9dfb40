package io.whence.log;

/**
 * Where a leader epoch begins in a log.
 *
 * @param epoch the number of the epoch, from 0
 * @param startOffset the first offset that was or will be written in it, inclusive
 */
public record EpochEntry(int epoch, long startOffset) {
  /** Rejects negative numbers. */
  public EpochEntry {
    if (epoch < 0 || startOffset < 0) {
      throw new IllegalArgumentException(
          "epoch " + epoch + " at offset " + startOffset + ": neither may be negative");
    }
  }
}
