package io.whence.commit;

import io.whence.model.LogBounds;
import io.whence.model.RecordStamp;
import io.whence.model.UnreadRecords;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * How far a group is behind in one partition. No number is ever negative. Thread safety: immutable.
 *
 * @param status what the lag came to
 * @param committed the offset of the next record to read; negative when nothing is committed
 * @param logBounds the bounds that the lag was told in; null when no log was looked at
 * @param unread the records that are left to read; none where the lag is not known
 * @param nowMs the clock that waiting is measured by, in epoch milliseconds
 */
public record PartitionLag(
    LagStatus status,
    long committed,
    @Nullable LogBounds logBounds,
    UnreadRecords unread,
    long nowMs) {

  /** Rejects a lag without an offset or a log. */
  public PartitionLag {
    if (status.isKnown() && (committed < 0 || logBounds == null)) {
      throw new IllegalArgumentException(status + " with offset " + committed + " in " + logBounds);
    }
  }

  /**
   * Returns that there is no lag.
   *
   * @param status why
   * @param committed what is committed
   */
  public static PartitionLag none(LagStatus status, Optional<CommittedOffset> committed) {
    return new PartitionLag(
        status,
        committed.map(CommittedOffset::nextOffset).orElse(-1L),
        null,
        UnreadRecords.NONE,
        0);
  }

  /** Returns the offset of the next record to read; nothing when none is committed. */
  public OptionalLong committedOffset() {
    return committed < 0 ? OptionalLong.empty() : OptionalLong.of(committed);
  }

  /** Returns the bounds that the lag was told in; nothing when no log was looked at. */
  public Optional<LogBounds> bounds() {
    return Optional.ofNullable(logBounds);
  }

  /**
   * Returns how many offsets lie between the committed offset, or the log start if that is higher,
   * and the end, gaps and markers included; nothing where the lag is not known.
   */
  public OptionalLong offsetLag() {
    return known(
        logBounds == null
            ? 0
            : Math.max(0, logBounds.endOffset() - Math.max(committed, logBounds.logStartOffset())));
  }

  /** Returns how many records are left to read; nothing where the lag is not known. */
  public OptionalLong recordLag() {
    return known(unread.recordCount());
  }

  /** Returns the next record to read; nothing when none is left, or the lag is not known. */
  public Optional<RecordStamp> nextUnread() {
    return unread.firstRecord();
  }

  /**
   * Returns for how many milliseconds the next unread record has been waiting: 0 for one from the
   * future, or when none is left; nothing when it has no timestamp, or the lag is not known.
   */
  public OptionalLong stalenessMs() {
    RecordStamp next = unread.first();
    if (next == null) {
      return known(0);
    }
    return next.hasTimestamp() ? known(Math.max(0, nowMs - next.timestampMs())) : none();
  }

  /**
   * Returns from the timestamp of the next unread record to the largest one of all unread records,
   * in milliseconds: 0 when none is left; nothing when the next one has no timestamp, or the lag is
   * not known.
   */
  public OptionalLong spanMs() {
    RecordStamp next = unread.first();
    if (next == null) {
      return known(0);
    }
    return next.hasTimestamp() ? known(unread.maxTimestampMs() - next.timestampMs()) : none();
  }

  /** Returns whether the timestamp of the next unread record is after the clock. */
  public boolean isFutureTimestamp() {
    RecordStamp next = unread.first();
    return next != null && next.timestampMs() > nowMs;
  }

  /** Returns how many offsets below the log start are lost to the group; only if some are. */
  public OptionalLong lostOffsets() {
    return logBounds != null && status == LagStatus.BELOW_START
        ? OptionalLong.of(logBounds.logStartOffset() - committed)
        : none();
  }

  /** Returns how many offsets the committed one lies above the end; only if it does. */
  public OptionalLong aheadBy() {
    return logBounds != null && status == LagStatus.AHEAD_OF_END
        ? OptionalLong.of(committed - logBounds.endOffset())
        : none();
  }

  private OptionalLong known(long value) {
    return status.isKnown() ? OptionalLong.of(value) : none();
  }

  private static OptionalLong none() {
    return OptionalLong.empty();
  }
}
