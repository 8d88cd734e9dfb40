package io.whence.source.kafka.fetch;

/**
 * What the leader of a partition has said of its log. The bounds are read before the records that
 * come with them, so that these may reach beyond the high watermark.
 *
 * @param logStartOffset the first offset that clients may read
 * @param highWatermark the offset below which records are replicated; may step back when the leader
 *     changes
 * @param lastStableOffset the offset below which no transaction is open. On a topic without new
 *     records it may be an old one, since the leader does not tell when only this changes
 * @param leaderEpoch the epoch in which the leader was asked; -1 if the cluster has none
 * @param asOfNanos when the question was sent, by {@link System#nanoTime}: what was in the log
 *     before that is below these bounds
 */
public record FetchedBounds(
    long logStartOffset,
    long highWatermark,
    long lastStableOffset,
    int leaderEpoch,
    long asOfNanos) {

  /** Returns the same bounds, confirmed at another time. */
  FetchedBounds asOf(long nanos) {
    return new FetchedBounds(logStartOffset, highWatermark, lastStableOffset, leaderEpoch, nanos);
  }
}
