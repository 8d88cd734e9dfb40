package io.whence.timeline;

import io.whence.model.TimestampType;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Who set the timestamps of records, and in which leader epoch they were written: runs of records
 * that have the same, by offset. Thread safety: immutable.
 */
final class RecordMarks {
  static final RecordMarks NONE = new RecordMarks(new long[0], new int[0], new boolean[0]);

  private static final int OVERHEAD_BYTES = 80;
  private static final int RUN_BYTES = Long.BYTES + Integer.BYTES + 1;

  /** The first offset of each run. */
  private final long[] offsets;

  private final int[] leaderEpochs;
  private final boolean[] logAppendTime;

  private RecordMarks(long[] offsets, int[] leaderEpochs, boolean[] logAppendTime) {
    this.offsets = offsets;
    this.leaderEpochs = leaderEpochs;
    this.logAppendTime = logAppendTime;
  }

  /** Returns these and, behind them, a run that begins at an offset. */
  RecordMarks plus(long offset, TimestampType type, int leaderEpoch) {
    boolean appendTime = type == TimestampType.LOG_APPEND_TIME;
    int count = offsets.length;
    if (count > 0
        && leaderEpochs[count - 1] == leaderEpoch
        && logAppendTime[count - 1] == appendTime) {
      return this;
    }
    RecordMarks more =
        new RecordMarks(
            Arrays.copyOf(offsets, count + 1),
            Arrays.copyOf(leaderEpochs, count + 1),
            Arrays.copyOf(logAppendTime, count + 1));
    more.offsets[count] = offset;
    more.leaderEpochs[count] = leaderEpoch;
    more.logAppendTime[count] = appendTime;
    return more;
  }

  /** Returns these and others, which lie behind them. */
  RecordMarks plus(RecordMarks next) {
    int count = offsets.length;
    int skipped =
        count > 0
                && next.offsets.length > 0
                && leaderEpochs[count - 1] == next.leaderEpochs[0]
                && logAppendTime[count - 1] == next.logAppendTime[0]
            ? 1
            : 0;
    int added = next.offsets.length - skipped;
    RecordMarks all =
        new RecordMarks(
            Arrays.copyOf(offsets, count + added),
            Arrays.copyOf(leaderEpochs, count + added),
            Arrays.copyOf(logAppendTime, count + added));
    System.arraycopy(next.offsets, skipped, all.offsets, count, added);
    System.arraycopy(next.leaderEpochs, skipped, all.leaderEpochs, count, added);
    System.arraycopy(next.logAppendTime, skipped, all.logAppendTime, count, added);
    return all;
  }

  /** Returns the last run alone. */
  RecordMarks last() {
    int count = offsets.length;
    return count < 2
        ? this
        : new RecordMarks(
            Arrays.copyOfRange(offsets, count - 1, count),
            Arrays.copyOfRange(leaderEpochs, count - 1, count),
            Arrays.copyOfRange(logAppendTime, count - 1, count));
  }

  /** Returns who set the timestamp of the record at an offset. */
  TimestampType timestampType(long offset) {
    return logAppendTime[run(offset)] ? TimestampType.LOG_APPEND_TIME : TimestampType.CREATE_TIME;
  }

  /** Returns the leader epoch of the record at an offset; negative when the log does not say. */
  int leaderEpoch(long offset) {
    return leaderEpochs[run(offset)];
  }

  private int run(long offset) {
    int low = 0;
    int high = offsets.length - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (offsets[middle] <= offset) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  int sizeInBytes() {
    return OVERHEAD_BYTES + offsets.length * RUN_BYTES;
  }

  int writtenBytes() {
    return Integer.BYTES + offsets.length * RUN_BYTES;
  }

  void writeTo(ByteBuffer out) {
    out.putInt(offsets.length);
    for (int run = 0; run < offsets.length; run++) {
      out.putLong(offsets[run]).putInt(leaderEpochs[run]).put((byte) (logAppendTime[run] ? 1 : 0));
    }
  }

  static RecordMarks readFrom(ByteBuffer in) {
    int count = in.getInt();
    if (count < 0 || (long) count * RUN_BYTES > in.remaining()) {
      throw new IllegalArgumentException("run count " + count);
    }
    RecordMarks marks = new RecordMarks(new long[count], new int[count], new boolean[count]);
    for (int run = 0; run < count; run++) {
      marks.offsets[run] = in.getLong();
      marks.leaderEpochs[run] = in.getInt();
      marks.logAppendTime[run] = in.get() == 1;
    }
    return marks;
  }
}
