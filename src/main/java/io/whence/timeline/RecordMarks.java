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

  private static final int OVERHEAD_BYTES = 96;
  private static final int RUN_BYTES = Long.BYTES + Integer.BYTES + 1;

  /** The first offset of each run. */
  private final long[] offsets;

  private final int[] leaderEpochs;
  private final boolean[] logAppendTime;

  private final int runCount;

  /** What all have where there is one run, without a look at the arrays. */
  private final int onlyLeaderEpoch;

  private final TimestampType onlyType;

  private RecordMarks(long[] offsets, int[] leaderEpochs, boolean[] logAppendTime) {
    this.offsets = offsets;
    this.leaderEpochs = leaderEpochs;
    this.logAppendTime = logAppendTime;
    this.runCount = offsets.length;
    this.onlyLeaderEpoch = runCount == 1 ? leaderEpochs[0] : -1;
    this.onlyType = runCount == 1 ? type(0) : TimestampType.CREATE_TIME;
  }

  private TimestampType type(int run) {
    return logAppendTime[run] ? TimestampType.LOG_APPEND_TIME : TimestampType.CREATE_TIME;
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
    long[] allOffsets = Arrays.copyOf(offsets, count + 1);
    int[] allEpochs = Arrays.copyOf(leaderEpochs, count + 1);
    boolean[] allTypes = Arrays.copyOf(logAppendTime, count + 1);
    allOffsets[count] = offset;
    allEpochs[count] = leaderEpoch;
    allTypes[count] = appendTime;
    return new RecordMarks(allOffsets, allEpochs, allTypes);
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
    long[] allOffsets = Arrays.copyOf(offsets, count + added);
    int[] allEpochs = Arrays.copyOf(leaderEpochs, count + added);
    boolean[] allTypes = Arrays.copyOf(logAppendTime, count + added);
    System.arraycopy(next.offsets, skipped, allOffsets, count, added);
    System.arraycopy(next.leaderEpochs, skipped, allEpochs, count, added);
    System.arraycopy(next.logAppendTime, skipped, allTypes, count, added);
    return new RecordMarks(allOffsets, allEpochs, allTypes);
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

  /** Looks at what is asked about a record, and returns nothing of meaning. */
  int glance() {
    return onlyLeaderEpoch;
  }

  /** Returns who set the timestamp of the record at an offset. */
  TimestampType timestampType(long offset) {
    return runCount == 1 ? onlyType : type(run(offset));
  }

  /** Returns the leader epoch of the record at an offset; negative when the log does not say. */
  int leaderEpoch(long offset) {
    return runCount == 1 ? onlyLeaderEpoch : leaderEpochs[run(offset)];
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
    long[] offsets = new long[count];
    int[] leaderEpochs = new int[count];
    boolean[] logAppendTime = new boolean[count];
    for (int run = 0; run < count; run++) {
      offsets[run] = in.getLong();
      leaderEpochs[run] = in.getInt();
      logAppendTime[run] = in.get() == 1;
    }
    return new RecordMarks(offsets, leaderEpochs, logAppendTime);
  }
}
