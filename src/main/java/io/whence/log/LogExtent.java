package io.whence.log;

import org.jspecify.annotations.Nullable;

/**
 * From where to where a log goes. Thread safety: immutable.
 *
 * @param logStartOffset the earliest offset that a client may read, inclusive
 * @param highWatermark the end of what is committed, exclusive
 * @param head what of a log elsewhere is not here, from its start on; null if nothing
 * @param epochs where its leader epochs begin
 */
record LogExtent(
    long logStartOffset, long highWatermark, @Nullable UnfollowedHead head, LeaderEpochs epochs) {
  /** Makes the extent of a log all of which is here. */
  static LogExtent of(long logStartOffset, long highWatermark) {
    return new LogExtent(logStartOffset, highWatermark, null, LeaderEpochs.NONE);
  }
}
