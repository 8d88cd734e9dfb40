package io.whence.log;

import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;

/**
 * The beginning of a log of which a copy has nothing: the log elsewhere has records there. Thread
 * safety: immutable.
 *
 * @param startOffset where the log begins, inclusive
 * @param endOffset where the copy begins, exclusive end of this; above the start
 * @param belowMs no record of it has a timestamp at or after this, in epoch milliseconds; the
 *     largest long where that is not known
 */
public record UnfollowedHead(long startOffset, long endOffset, long belowMs) {
  /** Rejects one without offsets. */
  public UnfollowedHead {
    if (startOffset >= endOffset) {
      throw new IllegalArgumentException(
          "offsets [" + startOffset + ", " + endOffset + ") are none");
    }
  }

  /** Returns whether it may have a record at or after a time, for all that is known. */
  public boolean mayHave(long timestampMs) {
    return timestampMs < belowMs || belowMs == Long.MAX_VALUE;
  }

  /** Makes the failure of a lookup whose answer could lie here. */
  WhenceException asFailure() {
    return WhenceException.of(
        ErrorReason.NOT_FOLLOWED,
        "the answer could lie in offsets ["
            + startOffset
            + ", "
            + endOffset
            + "), which this server does not follow. To follow it from earlier on, set"
            + " whence.kafka.NAME.start and wipe the directory of the source; lookups of at_or_after"
            + " and max_timestamp are answered by brokers there, unless local_only is set",
        "first_offset",
        endOffset);
  }
}
