package io.whence.source;

import java.util.OptionalLong;

/**
 * How well a source answers, at one moment. Thread safety: immutable.
 *
 * @param state what it comes to
 * @param partitions how its partitions are; all 0 where the source doesn't count them
 * @param reason the first reason why not all is as it should be, for people; empty if all is
 */
public record SourceHealth(State state, Partitions partitions, String reason) {
  private static final Partitions UNCOUNTED = new Partitions(0, 0, 0, 0, -1, -1);

  /** What the health of a source comes to. */
  public enum State {
    /** It is not loaded, or not followed to its end for the first time; it will be. */
    LOADING,
    /** Everything is answered. */
    READY,
    /** It answers, but for some partitions it can't, or may soon be unable to. */
    STALE,
    /** It answers for nothing. */
    NOT_SERVING
  }

  /**
   * How partitions that follow others are.
   *
   * @param followed how many there are
   * @param caughtUp how many have had all that their leaders had, since the start
   * @param answering how many are answered for: caught up, and confirmed lately enough
   * @param failing of how many nothing is fetched now, for a reason that is known
   * @param oldestMs for how many milliseconds the one that was confirmed the longest ago has not
   *     been; negative if none was yet
   * @param removalsUnseenMs for how many milliseconds the longest records may have been removed
   *     where they come from and still be found; negative if no partition was looked at for that
   */
  public record Partitions(
      int followed,
      int caughtUp,
      int answering,
      int failing,
      long oldestMs,
      long removalsUnseenMs) {
    /** Returns for how long the one that was confirmed the longest ago has not been, in ms. */
    public OptionalLong oldestStalenessMs() {
      return oldestMs < 0 ? OptionalLong.empty() : OptionalLong.of(oldestMs);
    }
  }

  /** Returns the health of a source of which only this is known. */
  public static SourceHealth of(State state, String reason) {
    return new SourceHealth(state, UNCOUNTED, reason);
  }

  /** Returns whether something is answered. */
  public boolean isServing() {
    return state == State.READY || state == State.STALE;
  }
}
