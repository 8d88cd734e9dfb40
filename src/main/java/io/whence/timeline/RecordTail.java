package io.whence.timeline;

import io.whence.timeline.Timeline.Columns;
import io.whence.timeline.Timeline.Figures;
import java.util.Arrays;

/**
 * The last records of a log that grows, as they are; too few to be worth packing. Later tails may
 * share the arrays, and go on behind the count of this one. Thread safety: immutable.
 *
 * @param offsets their offsets
 * @param timestampMs their timestamps, negative for none
 * @param count how many of the arrays are records
 * @param marks of these records, and perhaps of earlier ones
 */
@SuppressWarnings("ArrayRecordComponent")
record RecordTail(long[] offsets, long[] timestampMs, int count, RecordMarks marks) {
  static final RecordTail EMPTY = new RecordTail(new long[0], new long[0], 0, RecordMarks.NONE);

  /** Returns the first record at or after a time; the count if there is none. */
  int firstAtOrAfter(long ms) {
    int record = 0;
    while (record < count && timestampMs[record] < ms) {
      record++;
    }
    return record;
  }

  /** Returns the last record at or before a time; -1 if there is none. */
  int lastAtOrBefore(long ms) {
    int record = count - 1;
    while (record >= 0 && (timestampMs[record] > ms || timestampMs[record] < 0)) {
      record--;
    }
    return record;
  }

  /** Returns the first of the records with the largest timestamp; -1 if none has one. */
  int firstOfLargest() {
    long maxMs = -1;
    int largest = -1;
    for (int record = 0; record < count; record++) {
      if (timestampMs[record] > maxMs) {
        maxMs = timestampMs[record];
        largest = record;
      }
    }
    return largest;
  }

  /** Returns the records from an offset on. */
  RecordTail startingAt(long offset) {
    int gone = 0;
    while (gone < count && offsets[gone] < offset) {
      gone++;
    }
    return gone == 0
        ? this
        : new RecordTail(
            Arrays.copyOfRange(offsets, gone, count),
            Arrays.copyOfRange(timestampMs, gone, count),
            count - gone,
            marks);
  }

  /** Packs the records. */
  Timeline pack() {
    if (count == 0) {
      return Timeline.EMPTY;
    }
    boolean ordered = isOrdered();
    return new Timeline(
        new Figures(offsets[0], timestampMs[0], offsets[count - 1], ordered),
        ordered ? runs() : ascending(),
        ordered ? null : descending(),
        marks);
  }

  private boolean isOrdered() {
    long lastMs = 0;
    for (int record = 0; record < count; record++) {
      if (timestampMs[record] < lastMs) {
        return false;
      }
      lastMs = timestampMs[record];
    }
    return true;
  }

  private Steps runs() {
    RunsWriter runs = new RunsWriter();
    for (int record = 0; record < count; record++) {
      runs.add(timestampMs[record], offsets[record], offsets[record]);
    }
    return runs.toSteps();
  }

  private Steps ascending() {
    StepsWriter steps = new StepsWriter(Columns.ASCENDING);
    long maxMs = -1;
    for (int record = 0; record < count; record++) {
      if (timestampMs[record] > maxMs) {
        maxMs = timestampMs[record];
        steps.add(maxMs, offsets[record]);
      }
    }
    return steps.toSteps();
  }

  private Steps descending() {
    int[] rows = new int[count];
    int rowCount = 0;
    for (int record = count - 1; record >= 0; record--) {
      long ms = timestampMs[record];
      if (ms >= 0 && (rowCount == 0 || ms < timestampMs[rows[rowCount - 1]])) {
        rows[rowCount++] = record;
      }
    }
    StepsWriter steps = new StepsWriter(Columns.DESCENDING);
    while (rowCount > 0) {
      addDescending(steps, rows[--rowCount]);
    }
    return steps.toSteps();
  }

  private void addDescending(StepsWriter steps, int record) {
    long ms = timestampMs[record];
    if (record + 1 == count) {
      steps.add(ms, offsets[record], 0, 0);
    } else {
      steps.add(
          ms,
          offsets[record],
          offsets[record + 1] - offsets[record] - 1,
          timestampMs[record + 1] - ms);
    }
  }
}
