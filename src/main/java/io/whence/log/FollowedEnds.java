package io.whence.log;

/**
 * What a leader says of the bounds of a partition. Thread safety: immutable.
 *
 * @param logStartOffset the earliest offset that a client may read, inclusive
 * @param highWatermark the end of what is committed, exclusive
 * @param lastStableOffset the end of what is decided, exclusive; perhaps an older one
 */
public record FollowedEnds(long logStartOffset, long highWatermark, long lastStableOffset) {
  /** Rejects negative offsets, which stand for bounds that the leader did not tell. */
  public FollowedEnds {
    if (logStartOffset < 0 || highWatermark < 0 || lastStableOffset < 0) {
      throw new IllegalArgumentException(
          "log start "
              + logStartOffset
              + ", high watermark "
              + highWatermark
              + ", last stable offset "
              + lastStableOffset
              + ": none may be negative");
    }
  }
}
