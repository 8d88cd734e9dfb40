package io.whence.model;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The records that a reader gets to see from an offset on. Thread safety: immutable.
 *
 * @param recordCount how many there are, 0 or above
 * @param first the first of them; null when there is none
 * @param maxTimestampMs the largest timestamp of them, in epoch milliseconds; negative when none
 *     has one
 */
public record UnreadRecords(long recordCount, @Nullable RecordStamp first, long maxTimestampMs) {
  /** No records. */
  public static final UnreadRecords NONE = new UnreadRecords(0, null, -1);

  /** Rejects a first record of none, and none of some. */
  public UnreadRecords {
    if (recordCount < 0 || (recordCount == 0) != (first == null)) {
      throw new IllegalArgumentException(recordCount + " records with the first at " + first);
    }
  }

  /** Returns the first of them. */
  public Optional<RecordStamp> firstRecord() {
    return Optional.ofNullable(first);
  }
}
