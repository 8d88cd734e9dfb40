package io.whence.model;

/**
 * A range of offsets.
 *
 * @param startOffset the lowest offset, inclusive
 * @param endOffset the end, exclusive; not below the start
 */
public record OffsetRange(long startOffset, long endOffset) {
  /** Rejects ranges that end before they start. */
  public OffsetRange {
    if (endOffset < startOffset) {
      throw new IllegalArgumentException(
          "range ends at " + endOffset + ", below its start " + startOffset);
    }
  }

  /** Returns whether the range shares an offset with {@code [start, end)}. */
  public boolean intersects(long start, long end) {
    return Math.max(startOffset, start) < Math.min(endOffset, end);
  }
}
