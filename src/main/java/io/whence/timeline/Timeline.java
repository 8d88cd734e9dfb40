package io.whence.timeline;

import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The exact time index of consecutive data records of a log: all that the questions "first at or
 * after" and "last at or before" can have as an answer, and nothing else. Thread safety: immutable.
 *
 * <p>The first record at or after a time is later than all before it: a row of the ascending
 * staircase. The last record at or before a time is earlier than all after it: a row of the
 * descending one, which is kept in the order of the log too. Where timestamps never go back and
 * none is missing, both have the same times, and one staircase is enough: its rows are the runs of
 * records of one time, each with the first record and what tells the last.
 */
final class Timeline {
  /** A timeline of no records. */
  static final Timeline EMPTY =
      new Timeline(
          new Figures(0, 0, -1, true),
          new StepsWriter(Columns.RUNS).toSteps(),
          null,
          RecordMarks.NONE);

  private static final int OVERHEAD_BYTES = 112;

  private final Figures figures;
  private final Steps ascending;
  private final @Nullable Steps descending;
  private final RecordMarks marks;

  /** How many columns the staircases have. */
  static final class Columns {
    /** Time and first offset of a run; how many offsets are free between it and the next. */
    static final int RUNS = 3;

    /** Time and offset of a record. */
    static final int ASCENDING = 2;

    /** Time and offset of a record; how far off the next record is, less one, and its time. */
    static final int DESCENDING = 4;

    static final int GAP = 2;
    static final int NEXT_MS = 3;

    private Columns() {}
  }

  /**
   * Of all the records.
   *
   * @param firstOffset the offset of the first one
   * @param firstMs the timestamp of the first one; negative for none
   * @param lastOffset the offset of the last one, inclusive; below the first where there are none
   * @param ordered whether all have timestamps and these never go back
   */
  record Figures(long firstOffset, long firstMs, long lastOffset, boolean ordered) {}

  /**
   * Makes a timeline.
   *
   * @param descending null if ordered
   */
  Timeline(Figures figures, Steps ascending, @Nullable Steps descending, RecordMarks marks) {
    if (figures.ordered() != (descending == null)) {
      throw new IllegalArgumentException("ordered records have one staircase, others have two");
    }
    this.figures = figures;
    this.ascending = ascending;
    this.descending = descending;
    this.marks = marks;
  }

  /** Returns the timeline of the records of several, each behind the one before. */
  static Timeline merge(List<Timeline> parts) {
    return new TimelineMerger(parts).merge();
  }

  /** Returns the timeline of the records from an offset on, which is one of an ascending row. */
  Timeline from(long offset) {
    int row = firstAscendingFrom(offset);
    if (row == ascendingCount()) {
      return EMPTY;
    }
    Figures rest = new Figures(offset, ascendingMs(row), figures.lastOffset(), figures.ordered());
    return new Timeline(rest, ascending.from(row), descendingFrom(offset), marks);
  }

  private @Nullable Steps descendingFrom(long offset) {
    if (descending == null) {
      return null;
    }
    int row = 0;
    while (descending.value(row, Steps.OFFSET) < offset) {
      row++; // It ends: the last record with a time is at the offset or behind it.
    }
    return descending.from(row);
  }

  /** Looks at what a search at a time is likely to look at, and returns nothing of meaning. */
  long glance(long timestampMs) {
    return ascending.glance(timestampMs)
        + (descending == null ? 0 : descending.glance(timestampMs))
        + marks.glance();
  }

  Figures figures() {
    return figures;
  }

  RecordMarks marks() {
    return marks;
  }

  boolean isEmpty() {
    return figures.lastOffset() < figures.firstOffset();
  }

  /** Returns the largest timestamp; below all others when no record has one. */
  long maxMs() {
    int rows = ascending.rowCount();
    return rows == 0 ? Long.MIN_VALUE : ascending.value(rows - 1, Steps.TIMESTAMP);
  }

  /** Returns the smallest timestamp; above all others when no record has one. */
  long minMs() {
    return descendingCount() == 0 ? Long.MAX_VALUE : descendingMs(0);
  }

  /** Returns how many rows the ascending staircase has: records that are later than all before. */
  int ascendingCount() {
    return ascending.rowCount();
  }

  /** Returns the first row of the ascending staircase at or after a time; the count for none. */
  int firstAtOrAfter(long timestampMs) {
    return ascending.firstAtOrAfter(timestampMs);
  }

  /** Returns the first row of the ascending staircase from an offset on; the count for none. */
  int firstAscendingFrom(long offset) {
    int low = 0;
    int high = ascendingCount();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (ascendingOffset(middle) < offset) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  long ascendingMs(int row) {
    return ascending.value(row, Steps.TIMESTAMP);
  }

  long ascendingOffset(int row) {
    return ascending.value(row, Steps.OFFSET);
  }

  /**
   * Returns how many rows the descending staircase has: records that are earlier than all after.
   */
  int descendingCount() {
    return (descending == null ? ascending : descending).rowCount();
  }

  /** Returns the last row of the descending staircase at or before a time; -1 for none. */
  int lastAtOrBefore(long timestampMs) {
    Steps steps = descending == null ? ascending : descending;
    // One more than the largest long would be the smallest.
    int after =
        timestampMs == Long.MAX_VALUE ? steps.rowCount() : steps.firstAtOrAfter(timestampMs + 1);
    return after - 1;
  }

  long descendingMs(int row) {
    return (descending == null ? ascending : descending).value(row, Steps.TIMESTAMP);
  }

  long descendingOffset(int row) {
    if (descending != null) {
      return descending.value(row, Steps.OFFSET);
    }
    return row == ascending.rowCount() - 1
        ? figures.lastOffset()
        : ascending.value(row + 1, Steps.OFFSET) - 1 - ascending.value(row, Columns.GAP);
  }

  /** Returns whether a record of this timeline follows the one of a row of the descending one. */
  boolean hasNext(int descendingRow) {
    return descendingOffset(descendingRow) < figures.lastOffset();
  }

  /** Returns the offset of the record that follows, if one does. */
  long nextOffset(int descendingRow) {
    return descending == null
        ? ascending.value(descendingRow + 1, Steps.OFFSET)
        : descending.value(descendingRow, Steps.OFFSET)
            + 1
            + descending.value(descendingRow, Columns.GAP);
  }

  /** Returns the timestamp of the record that follows, if one does; negative when it has none. */
  long nextMs(int descendingRow) {
    return descending == null
        ? ascending.value(descendingRow + 1, Steps.TIMESTAMP)
        : descending.value(descendingRow, Steps.TIMESTAMP)
            + descending.value(descendingRow, Columns.NEXT_MS);
  }

  /** Returns how many bytes of memory it takes. */
  int sizeInBytes() {
    return OVERHEAD_BYTES
        + ascending.sizeInBytes()
        + (descending == null ? 0 : descending.sizeInBytes())
        + marks.sizeInBytes();
  }

  /** Returns how many bytes {@link #writeTo} writes. */
  int writtenBytes() {
    return 3 * Long.BYTES
        + 1
        + ascending.writtenBytes()
        + (descending == null ? 0 : descending.writtenBytes())
        + marks.writtenBytes();
  }

  /** Writes it: 3 int64 and an int8 of figures, the staircases, the marks. */
  void writeTo(ByteBuffer out) {
    out.putLong(figures.firstOffset()).putLong(figures.firstMs()).putLong(figures.lastOffset());
    out.put((byte) (figures.ordered() ? 1 : 0));
    ascending.writeTo(out);
    if (descending != null) {
      descending.writeTo(out);
    }
    marks.writeTo(out);
  }

  /** Reads what {@link #writeTo} wrote. */
  static Timeline readFrom(ByteBuffer in) {
    Figures figures = new Figures(in.getLong(), in.getLong(), in.getLong(), in.get() == 1);
    Steps ascending = Steps.readFrom(in);
    Steps descending = figures.ordered() ? null : Steps.readFrom(in);
    return new Timeline(figures, ascending, descending, RecordMarks.readFrom(in));
  }
}
