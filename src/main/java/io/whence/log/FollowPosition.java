package io.whence.log;

/**
 * Where a followed log goes on. Thread safety: immutable.
 *
 * @param nextOffset the offset to fetch next, inclusive
 * @param lastEpoch the leader epoch of the last batch; -1 where the log has none, or it says none
 */
public record FollowPosition(long nextOffset, int lastEpoch) {
  /** The epoch where there is none. */
  public static final int NO_EPOCH = -1;

  /** Rejects a negative offset. */
  public FollowPosition {
    if (nextOffset < 0) {
      throw new IllegalArgumentException("next offset " + nextOffset + " is negative");
    }
  }
}
