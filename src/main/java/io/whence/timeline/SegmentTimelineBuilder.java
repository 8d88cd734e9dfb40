package io.whence.timeline;

import io.whence.model.TimestampType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Builds the timeline of a segment record by record. Records are packed a few hundred at a time,
 * and packed parts of the same size merged a few at a time, so that there are few parts, and each
 * record is packed a few times. Thread safety: single-writer; what {@link #build} returned never
 * changes.
 */
public final class SegmentTimelineBuilder {
  /** How many records a tail has at the most: a search reads all of them. */
  private static final int TAIL_RECORDS = 256;

  private static final int INITIAL_RECORDS = 8;

  /** How many parts of one level become one of the next. */
  private static final int PARTS_OF_LEVEL = 8;

  private final List<Timeline> parts = new ArrayList<>();
  private final List<Integer> levels = new ArrayList<>();

  /** They grow from nothing: most logs of many are idle and empty. */
  private long[] offsets = new long[0];

  private long[] timestampMs = new long[0];
  private int count;
  private RecordMarks marks = RecordMarks.NONE;
  private SegmentTimeline packed = SegmentTimeline.EMPTY;
  private boolean packedIsOld;

  /** Begins with no record. */
  public SegmentTimelineBuilder() {}

  /** Goes on behind the records of a timeline. */
  public SegmentTimelineBuilder(SegmentTimeline timeline) {
    for (Timeline part : timeline.parts()) {
      parts.add(part);
      levels.add(levelOf(part));
    }
    packedIsOld = !parts.isEmpty();
    RecordTail tail = timeline.tail();
    marks = tail.marks();
    for (int record = 0; record < tail.count(); record++) {
      addRecord(tail.offsets()[record], tail.timestampMs()[record]);
    }
  }

  /** Begins a batch: the records that are added from now on have this in common. */
  public void beginBatch(long baseOffset, TimestampType type, int leaderEpoch) {
    marks = marks.plus(baseOffset, type, leaderEpoch);
  }

  /**
   * Adds a record behind the last one.
   *
   * @param recordMs its timestamp in epoch milliseconds; negative for none
   */
  public void addRecord(long offset, long recordMs) {
    if (count == TAIL_RECORDS) {
      packTail();
    } else if (count == offsets.length) {
      int capacity = Math.min(TAIL_RECORDS, Math.max(INITIAL_RECORDS, 2 * count));
      offsets = Arrays.copyOf(offsets, capacity);
      timestampMs = Arrays.copyOf(timestampMs, capacity);
    }
    offsets[count] = offset;
    timestampMs[count] = recordMs;
    count++;
  }

  private RecordTail tail() {
    return new RecordTail(offsets, timestampMs, count, marks);
  }

  private void packTail() {
    addPart(tail().pack(), 0);
    offsets = new long[TAIL_RECORDS];
    timestampMs = new long[TAIL_RECORDS];
    count = 0;
    marks = marks.last();
  }

  /** Parts of which nobody knows how often they were merged have a level by their size. */
  private static int levelOf(Timeline part) {
    int level = 0;
    long rows = Math.max(part.ascendingCount(), part.descendingCount());
    for (long full = TAIL_RECORDS; full < rows; full *= PARTS_OF_LEVEL) {
      level++;
    }
    return level;
  }

  private void addPart(Timeline part, int level) {
    parts.add(part);
    levels.add(level);
    packedIsOld = true;
    int from = parts.size();
    while (from > 0 && levels.get(from - 1) <= level) {
      from--;
    }
    if (parts.size() - from >= PARTS_OF_LEVEL) {
      List<Timeline> lowest = parts.subList(from, parts.size());
      Timeline merged = Timeline.merge(List.copyOf(lowest));
      lowest.clear();
      levels.subList(from, levels.size()).clear();
      addPart(merged, level + 1);
    }
  }

  /** Returns all parts, what is in the tail packed as well. */
  List<Timeline> packedParts() {
    List<Timeline> all = new ArrayList<>(parts);
    if (count > 0) {
      all.add(tail().pack());
    }
    return all;
  }

  /** Returns the timeline of the records that were added so far. */
  public SegmentTimeline build() {
    if (packedIsOld) {
      packed = new SegmentTimeline(parts, RecordTail.EMPTY);
      packedIsOld = false;
    }
    return packed.withTail(tail());
  }
}
