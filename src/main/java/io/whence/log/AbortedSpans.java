package io.whence.log;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The aborted transactions of a log, in the order of their markers. Only grows. Thread safety:
 * thread-safe; one writer adds. A reader that holds an older state of the log may see transactions
 * that were aborted since: none of them has a record that was decided then.
 */
final class AbortedSpans {
  private static final int INITIAL_CAPACITY = 4;

  private final ConcurrentHashMap<Long, OfProducer> byProducer = new ConcurrentHashMap<>();

  /**
   * Those of one producer, ascending: start (inclusive) and marker (exclusive). What lies behind
   * the count may belong to a later state.
   */
  @SuppressWarnings("ArrayRecordComponent")
  private record OfProducer(long[] starts, long[] markers, int count) {
    OfProducer plus(long startOffset, long markerOffset) {
      boolean full = count == starts.length;
      int capacity = Math.max(INITIAL_CAPACITY, 2 * count);
      long[] newStarts = full ? Arrays.copyOf(starts, capacity) : starts;
      long[] newMarkers = full ? Arrays.copyOf(markers, capacity) : markers;
      newStarts[count] = startOffset;
      newMarkers[count] = markerOffset;
      return new OfProducer(newStarts, newMarkers, count + 1);
    }

    /** Returns the first whose marker lies behind an offset; the count if there is none. */
    int firstEndingAfter(long offset) {
      int low = 0;
      int high = count;
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (markers[middle] <= offset) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low;
    }

    /** Returns whether one of them has an offset of a range; they do not overlap. */
    boolean intersects(long startOffset, long endOffset) {
      int first = firstEndingAfter(startOffset);
      return first < count && starts[first] < endOffset;
    }
  }

  /**
   * Adds a transaction; its marker lies behind those of the same producer that were added before.
   */
  void add(long producerId, long startOffset, long markerOffset) {
    OfProducer before =
        byProducer.getOrDefault(producerId, new OfProducer(new long[0], new long[0], 0));
    byProducer.put(producerId, before.plus(startOffset, markerOffset));
  }

  boolean isEmpty() {
    return byProducer.isEmpty();
  }

  /** Returns whether one has records of a range of offsets. */
  boolean intersect(long startOffset, long endOffset) {
    for (OfProducer spans : byProducer.values()) {
      if (spans.intersects(startOffset, endOffset)) {
        return true;
      }
    }
    return false;
  }

  /** Returns a number that tells what a range of offsets has of them from anything else. */
  long fingerprint(long startOffset, long endOffset) {
    long sum = 0;
    for (Map.Entry<Long, OfProducer> each : byProducer.entrySet()) {
      OfProducer spans = each.getValue();
      int i = spans.firstEndingAfter(startOffset);
      while (i < spans.count && spans.starts[i] < endOffset) {
        long start = Math.max(startOffset, spans.starts[i]);
        long end = Math.min(endOffset, spans.markers[i]);
        sum += mixed(mixed(mixed(each.getKey()) + start) + end);
        i++;
      }
    }
    return sum;
  }

  /** Spreads each bit over all; the steps are those of MurmurHash3. */
  private static long mixed(long value) {
    long mixed = (value ^ (value >>> 33)) * 0xff51afd7ed558ccdL;
    mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
    return mixed ^ (mixed >>> 33);
  }

  /** Returns whether a batch of a producer belongs to one. */
  boolean contains(long producerId, long baseOffset) {
    OfProducer spans = byProducer.get(producerId);
    return spans != null && spans.intersects(baseOffset, baseOffset + 1);
  }
}
