package io.whence.log;

import io.whence.model.TimestampType;
import io.whence.timeline.SegmentTimelineBuilder;
import java.util.Arrays;

/**
 * Offsets and timestamps of the data records of one batch, for the timeline. Thread safety:
 * single-writer.
 */
final class BatchRecords {
  private static final int INITIAL_CAPACITY = 16;

  private final TimestampType timestampType;
  private final int leaderEpoch;
  private int[] relativeOffsets;
  private long[] timestampMs;
  private int count;

  BatchRecords(TimestampType timestampType, int leaderEpoch) {
    this(timestampType, leaderEpoch, INITIAL_CAPACITY);
  }

  /** Makes room for so many records at once. */
  BatchRecords(TimestampType timestampType, int leaderEpoch, int capacity) {
    this.timestampType = timestampType;
    this.leaderEpoch = leaderEpoch;
    this.relativeOffsets = new int[capacity];
    this.timestampMs = new long[capacity];
  }

  /**
   * Adds a record.
   *
   * @param relativeOffset its offset, from the base offset of the batch
   */
  void add(int relativeOffset, long recordMs) {
    if (count == timestampMs.length) {
      relativeOffsets = Arrays.copyOf(relativeOffsets, Math.max(INITIAL_CAPACITY, 2 * count));
      timestampMs = Arrays.copyOf(timestampMs, Math.max(INITIAL_CAPACITY, 2 * count));
    }
    relativeOffsets[count] = relativeOffset;
    timestampMs[count] = recordMs;
    count++;
  }

  void addTo(SegmentTimelineBuilder timeline, long baseOffset) {
    if (count > 0) {
      timeline.beginBatch(baseOffset, timestampType, leaderEpoch);
    }
    for (int record = 0; record < count; record++) {
      timeline.addRecord(baseOffset + relativeOffsets[record], timestampMs[record]);
    }
  }
}
