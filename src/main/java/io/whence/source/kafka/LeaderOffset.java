package io.whence.source.kafka;

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
}
