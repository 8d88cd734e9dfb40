package io.whence.log;

import java.util.List;

/**
 * The segments of a log but the last, and what of their timestamps a search over all of them needs.
 * Shared by the snapshots between two changes of it. Thread safety: immutable.
 */
final class SegmentTable {
  static final SegmentTable EMPTY = new SegmentTable(List.of());

  private final SegmentView[] segments;

  /** By segment, the largest timestamp of it and those before, the first of the table left out. */
  private final long[] maxMsUpTo;

  /** By segment, the smallest timestamp of it and those behind. */
  private final long[] minMsFrom;

  /** The last segment with timestamps; -1 if none has any. */
  private final int lastTimed;

  SegmentTable(List<SegmentView> segments) {
    this.segments = segments.toArray(SegmentView[]::new);
    this.maxMsUpTo = new long[this.segments.length];
    this.minMsFrom = new long[this.segments.length];
    long maxMs = Long.MIN_VALUE;
    for (int i = 0; i < this.segments.length; i++) {
      // What of the first one is visible is not in its figures.
      maxMs = i == 0 ? maxMs : Math.max(maxMs, times(i).maxMs());
      maxMsUpTo[i] = maxMs;
    }
    int timed = this.segments.length - 1;
    while (timed >= 0 && times(timed).maxTimestampMs().isEmpty()) {
      timed--;
    }
    lastTimed = timed;
    long minMs = Long.MAX_VALUE;
    for (int i = this.segments.length - 1; i >= 0; i--) {
      minMs = Math.min(minMs, times(i).minMs());
      minMsFrom[i] = minMs;
    }
  }

  private TimestampHealth times(int segment) {
    return segments[segment].index().timestamps();
  }

  /** Returns the segments that do not end below an offset. */
  SegmentTable from(long offset) {
    int below = 0;
    while (below < segments.length && segments[below].index().nextOffset() <= offset) {
      below++;
    }
    return below == 0 ? this : new SegmentTable(List.of(segments).subList(below, segments.length));
  }

  int count() {
    return segments.length;
  }

  SegmentView segment(int i) {
    return segments[i];
  }

  /** Returns the largest timestamp of all but the first; below all others if there is none. */
  long maxMsBehindFirst() {
    return segments.length == 0 ? Long.MIN_VALUE : maxMsUpTo[segments.length - 1];
  }

  /**
   * Returns the first segment behind the first with a record at or after a time; the count if none.
   */
  int firstReaching(long timestampMs) {
    int low = Math.min(1, segments.length);
    int length = segments.length - low;
    while (length > 0) {
      int half = length >>> 1;
      if (maxMsUpTo[low + half] < timestampMs) {
        low += half + 1;
        length -= half + 1;
      } else {
        length = half;
      }
    }
    return low;
  }

  /** Returns the last segment with a record at or before a time; -1 if none. */
  int lastReaching(long timestampMs) {
    int low = -1;
    int high = lastTimed;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (minMsFrom[middle] <= timestampMs) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }
}
