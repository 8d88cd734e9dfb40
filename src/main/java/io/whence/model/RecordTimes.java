package io.whence.model;

/**
 * The times of some records. Thread safety: immutable.
 *
 * @param recordCount how many records there are, 0 or above
 * @param timedCount how many of them have a timestamp
 * @param minTimestampMs the smallest timestamp of these, in epoch milliseconds; negative when none
 *     has one
 */
public record RecordTimes(long recordCount, long timedCount, long minTimestampMs) {
  /** Rejects more timestamps than records, and a smallest one of none. */
  public RecordTimes {
    if (timedCount < 0 || recordCount < timedCount || (timedCount == 0) != (minTimestampMs < 0)) {
      throw new IllegalArgumentException(
          timedCount + " of " + recordCount + " records have times, from " + minTimestampMs);
    }
  }

  /** Returns whether every record has a timestamp. */
  public boolean areAllTimed() {
    return timedCount == recordCount;
  }

  /** Returns the times of these records and of others. */
  public RecordTimes with(RecordTimes others) {
    long min =
        timedCount == 0 || (others.timedCount > 0 && others.minTimestampMs < minTimestampMs)
            ? others.minTimestampMs
            : minTimestampMs;
    return new RecordTimes(recordCount + others.recordCount, timedCount + others.timedCount, min);
  }
}
