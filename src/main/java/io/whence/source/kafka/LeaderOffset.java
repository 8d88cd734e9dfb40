package io.whence.source.kafka;

import io.whence.source.kafka.fetch.FetchedBounds;

/**
 * What the leader of a partition answered to a position. Thread safety: immutable.
 *
 * @param offset the offset; negative if it found nothing
 * @param timestampMs the timestamp of the record there, in epoch milliseconds; negative if it tells
 *     none
 * @param leaderEpoch the leader epoch that it tells; -1 for none
 */
record LeaderOffset(long offset, long timestampMs, int leaderEpoch) {
  /** Returns whether there is an answer. */
  boolean isFound() {
    return offset >= 0;
  }

  /**
   * Returns whether, as an end, it can't be of the leader of a log that had these bounds before it
   * was asked: within a log epochs never go back, nor does the high watermark within an epoch.
   */
  boolean isBefore(FetchedBounds bounds) {
    return leaderEpoch >= 0
        && (leaderEpoch < bounds.leaderEpoch()
            || (leaderEpoch == bounds.leaderEpoch() && offset < bounds.highWatermark()));
  }
}
