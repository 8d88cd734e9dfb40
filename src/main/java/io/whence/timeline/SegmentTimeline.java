package io.whence.timeline;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The exact time index of the data records of one segment, in memory: answers from it equal those
 * of a scan of the records, and take no lock, no file and no garbage. Consists of packed parts and,
 * for a segment that grows, a tail of records; a segment that doesn't has one part. Thread safety:
 * immutable.
 */
public final class SegmentTimeline {
  /** A timeline of no records. */
  public static final SegmentTimeline EMPTY = new SegmentTimeline(List.of(), RecordTail.EMPTY);

  private static final int OVERHEAD_BYTES = 80;

  private final Timeline[] parts;
  private final RecordTail tail;

  /** Beside the parts, so that a search looks into none in vain. */
  private final long[] minMs;

  private final long[] maxMs;

  /** The part, if that is all there is. */
  private final @Nullable Timeline only;

  SegmentTimeline(List<Timeline> parts, RecordTail tail) {
    this.parts = parts.stream().filter(part -> !part.isEmpty()).toArray(Timeline[]::new);
    this.tail = tail;
    this.minMs = new long[this.parts.length];
    this.maxMs = new long[this.parts.length];
    for (int i = 0; i < this.parts.length; i++) {
      minMs[i] = this.parts[i].minMs();
      maxMs[i] = this.parts[i].maxMs();
    }
    this.only = only();
  }

  private SegmentTimeline(SegmentTimeline grown, RecordTail tail) {
    this.parts = grown.parts;
    this.minMs = grown.minMs;
    this.maxMs = grown.maxMs;
    this.tail = tail;
    this.only = only();
  }

  private @Nullable Timeline only() {
    return parts.length == 1 && tail.count() == 0 ? parts[0] : null;
  }

  /** Returns these parts with another tail. */
  SegmentTimeline withTail(RecordTail newTail) {
    return new SegmentTimeline(this, newTail);
  }

  List<Timeline> parts() {
    return List.of(parts);
  }

  RecordTail tail() {
    return tail;
  }

  /** Returns whether it has no record. */
  public boolean isEmpty() {
    return parts.length == 0 && tail.count() == 0;
  }

  /** Looks at what a search at a time is likely to look at, and returns nothing of meaning. */
  public long glance(long timestampMs) {
    if (only != null) {
      return only.glance(timestampMs);
    }
    for (int i = 0; i < parts.length; i++) {
      if (maxMs[i] >= timestampMs) {
        return parts[i].glance(timestampMs);
      }
    }
    return tail.count();
  }

  /** Finds the first record at or after a time of 0 or above. */
  public boolean firstAtOrAfter(long timestampMs, TimelineHit hit) {
    if (only != null) {
      return setAscending(only, only.firstAtOrAfter(timestampMs), hit);
    }
    for (int i = 0; i < parts.length; i++) {
      if (maxMs[i] >= timestampMs) {
        Timeline part = parts[i];
        return setAscending(part, part.firstAtOrAfter(timestampMs), hit);
      }
    }
    return setTail(tail.firstAtOrAfter(timestampMs), hit);
  }

  /**
   * Finds the last record with a timestamp at or before a time.
   *
   * @param next gets the record behind it, if this timeline has it
   */
  public boolean lastAtOrBefore(long timestampMs, TimelineHit hit, TimelineHit next) {
    next.clear();
    int record = tail.lastAtOrBefore(timestampMs);
    if (record >= 0) {
      setTail(record + 1, next);
      return setTail(record, hit);
    }
    for (int i = parts.length - 1; i >= 0; i--) {
      if (minMs[i] <= timestampMs && parts[i].descendingCount() > 0) {
        return setDescending(i, parts[i].lastAtOrBefore(timestampMs), hit, next);
      }
    }
    return hit.clear();
  }

  private boolean setDescending(int i, int row, TimelineHit hit, TimelineHit next) {
    Timeline part = parts[i];
    if (part.hasNext(row)) {
      next.set(part.nextOffset(row), part.nextMs(row), part.marks());
    } else if (i + 1 < parts.length) {
      setFirst(parts[i + 1], next);
    } else {
      setTail(0, next);
    }
    return hit.set(part.descendingOffset(row), part.descendingMs(row), part.marks());
  }

  /** Finds the first record, with a timestamp or without. */
  public boolean first(TimelineHit hit) {
    return parts.length > 0 ? setFirst(parts[0], hit) : setTail(0, hit);
  }

  /** Finds the first of the records with the largest timestamp. */
  public boolean firstOfLargest(TimelineHit hit) {
    int record = tail.firstOfLargest();
    long largestMs = record < 0 ? -1 : tail.timestampMs()[record];
    int best = -1;
    for (int i = parts.length - 1; i >= 0; i--) {
      if (maxMs[i] >= Math.max(largestMs, 0)) {
        largestMs = maxMs[i];
        best = i;
      }
    }
    return best >= 0
        ? setAscending(parts[best], parts[best].ascendingCount() - 1, hit)
        : record >= 0 ? setTail(record, hit) : hit.clear();
  }

  private static boolean setFirst(Timeline part, TimelineHit hit) {
    return hit.set(part.figures().firstOffset(), part.figures().firstMs(), part.marks());
  }

  private static boolean setAscending(Timeline part, int row, TimelineHit hit) {
    return row < part.ascendingCount()
        ? hit.set(part.ascendingOffset(row), part.ascendingMs(row), part.marks())
        : hit.clear();
  }

  private boolean setTail(int record, TimelineHit hit) {
    return record < tail.count()
        ? hit.set(tail.offsets()[record], tail.timestampMs()[record], tail.marks())
        : hit.clear();
  }

  /** Returns the largest timestamp; negative when no record has one. */
  public long maxMs() {
    int record = tail.firstOfLargest();
    long largest = record < 0 ? -1 : tail.timestampMs()[record];
    for (long partMs : maxMs) {
      largest = Math.max(largest, partMs);
    }
    return Math.max(largest, -1);
  }

  /** Returns the same records in one packed part. */
  public SegmentTimeline compacted() {
    if (parts.length == 1 && tail.count() == 0) {
      return this;
    }
    SegmentTimelineBuilder all = new SegmentTimelineBuilder(this);
    return new SegmentTimeline(List.of(Timeline.merge(all.packedParts())), RecordTail.EMPTY);
  }

  /**
   * Returns from where on this tells all of a log that now begins at an offset. What lies between
   * was perhaps hidden by records that are gone, and has to be read.
   *
   * @param startOffset where the log now begins, inclusive
   * @return the end of what has to be read, exclusive; not below the start
   */
  public long knownFrom(long startOffset) {
    for (Timeline part : parts) {
      if (part.figures().lastOffset() >= startOffset) {
        int row = part.firstAscendingFrom(startOffset);
        return part.figures().firstOffset() >= startOffset
            ? startOffset
            : row < part.ascendingCount()
                ? part.ascendingOffset(row)
                : part.figures().lastOffset() + 1;
      }
    }
    return startOffset;
  }

  /**
   * Returns the timeline of the records from an offset on.
   *
   * @param startOffset the offset, inclusive
   * @param knownFrom what {@link #knownFrom} says of it
   * @param head the records between
   */
  public SegmentTimeline startingAt(long startOffset, long knownFrom, SegmentTimeline head) {
    List<Timeline> rest = new ArrayList<>();
    List<Timeline> first = new ArrayList<>(new SegmentTimelineBuilder(head).packedParts());
    for (Timeline part : parts) {
      if (part.figures().firstOffset() >= knownFrom) {
        rest.add(part);
      } else if (part.figures().lastOffset() >= knownFrom) {
        first.add(part.from(knownFrom));
      }
    }
    // One part comes from the one that was cut: however often that happens, there are no more.
    rest.add(0, Timeline.merge(first));
    return new SegmentTimeline(rest, tail.startingAt(startOffset));
  }

  /** Returns how many bytes of memory it takes. */
  public long sizeInBytes() {
    long bytes = OVERHEAD_BYTES + tail.offsets().length * 2L * Long.BYTES;
    for (Timeline part : parts) {
      bytes += part.sizeInBytes();
    }
    return bytes;
  }

  /** Returns how many bytes {@link #writeTo} writes. */
  public long writtenBytes() {
    long bytes = Integer.BYTES;
    for (Timeline part : parts) {
      bytes += part.writtenBytes();
    }
    return bytes + (tail.count() == 0 ? 0 : tail.pack().writtenBytes());
  }

  /** Writes it: the number of parts, and the parts; what is in the tail is packed. */
  public void writeTo(ByteBuffer out) {
    boolean hasTail = tail.count() > 0;
    out.putInt(parts.length + (hasTail ? 1 : 0));
    for (Timeline part : parts) {
      part.writeTo(out);
    }
    if (hasTail) {
      tail.pack().writeTo(out);
    }
  }

  /**
   * Reads what {@link #writeTo} wrote.
   *
   * @throws RuntimeException of some kind if that is not what the bytes are
   */
  public static SegmentTimeline readFrom(ByteBuffer in) {
    int count = in.getInt();
    if (count < 0 || count > in.remaining()) {
      throw new IllegalArgumentException("part count " + count);
    }
    Timeline[] read = new Timeline[count];
    for (int i = 0; i < count; i++) {
      read[i] = Timeline.readFrom(in);
    }
    return new SegmentTimeline(List.of(read), RecordTail.EMPTY);
  }
}
