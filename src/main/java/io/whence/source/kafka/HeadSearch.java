package io.whence.source.kafka;

import java.util.OptionalLong;

/**
 * Looks for the lowest time at or after which no record of an unfollowed head is, by asking for the
 * offset of one time after the other. Only an offset that was found, and at or above the end of the
 * head, proves: a leader searches the first segment that could have the time, and one with a record
 * of the head comes no later than those behind it. Nothing found proves nothing, for that segment
 * may yield nothing. So no time is asked for that what is followed does not reach.
 *
 * <p>At first it takes few rounds to prove any time; then it takes as many as halving needs, to the
 * lowest. Where nothing is found, lower times are tried, and later ones once more is followed: at
 * the next look, and then after twice as many looks each time. Invariant: what is proven stays
 * true, whatever is asked next. Thread safety: single-writer.
 */
final class HeadSearch {
  private static final long LOOSE_STEP_MS = 15_000;
  private static final int LOOSE_STEPS = 2;
  private static final long FIRST_STEP_MS = 1_000;
  private static final int GALLOP = 4;
  private static final int MAX_PAUSE_LOOKS = 128;

  private final long endOffset;
  private final long firstMs;

  /** No lower time can be proven. */
  private long lowMs;

  /** The lowest that is proven; the largest long if none is. */
  private long provenMs;

  /** Nothing was found at or after that, when what is followed reached up to there. */
  private long nothingMs = Long.MAX_VALUE;

  private long nothingUpToMs = Long.MIN_VALUE;
  private int rounds;

  /** After how many looks a leader that found nothing is asked for the largest time again. */
  private int pauseLooks;

  private int looksToWait;
  private long stepMs = FIRST_STEP_MS;

  /** Whether the lowest time is known to lie not far below. */
  private boolean bracketed;

  /**
   * Begins.
   *
   * @param endOffset the end of the head, exclusive
   * @param provenMs what is proven already; the largest long if nothing is
   * @param firstMs the time of the first record that is followed, in epoch milliseconds
   */
  HeadSearch(long endOffset, long provenMs, long firstMs) {
    this.endOffset = endOffset;
    this.provenMs = provenMs;
    this.firstMs = firstMs;
  }

  long endOffset() {
    return endOffset;
  }

  /** Returns the lowest time that is proven; the largest long if none is. */
  long provenMs() {
    return provenMs;
  }

  private boolean isProven() {
    return provenMs != Long.MAX_VALUE;
  }

  /** Returns whether no lower time can be proven. */
  boolean isExact() {
    return isProven() && lowMs >= provenMs;
  }

  /** Takes what somebody else has proven. */
  void proven(long ms) {
    provenMs = Math.min(provenMs, ms);
  }

  /** Begins another look, long after the one before: what is followed may reach further now. */
  void look() {
    looksToWait = Math.max(0, looksToWait - 1);
  }

  /**
   * Returns the time to ask for next, 0 or above; empty if there is none, at least as long as no
   * later record is followed, or before the next {@link #look}.
   *
   * @param largestMs no record that is followed is after that
   */
  OptionalLong next(long largestMs) {
    if (largestMs > nothingUpToMs && looksToWait == 0) {
      nothingMs = Long.MAX_VALUE;
    }
    long topMs = isProven() ? provenMs - 1 : Math.min(largestMs, nothingMs - 1);
    if (topMs < lowMs) {
      return OptionalLong.empty();
    }
    long ms = isProven() ? tighterMs() : looseMs(topMs);
    return OptionalLong.of(Math.max(lowMs, Math.min(ms, topMs)));
  }

  private long looseMs(long topMs) {
    if (rounds < LOOSE_STEPS) {
      return firstMs + (rounds + 1) * LOOSE_STEP_MS;
    }
    return nothingMs == Long.MAX_VALUE ? topMs : middle(topMs + 1);
  }

  private long tighterMs() {
    return bracketed ? middle(provenMs) : provenMs - stepMs;
  }

  private long middle(long endMs) {
    return lowMs + (endMs - lowMs) / 2;
  }

  /**
   * Takes an answer.
   *
   * @param ms the time that was asked for
   * @param answer the first record at or after that, as the leader says
   * @param largestMs what was followed up to then
   */
  void answered(long ms, LeaderOffset answer, long largestMs) {
    rounds++;
    if (answer.isFound() && answer.offset() >= endOffset) {
      provenMs = Math.min(provenMs, ms);
      stepMs *= GALLOP;
    } else if (answer.isFound()) {
      lowMs = Math.max(lowMs, Math.max(ms, answer.timestampMs()) + 1);
      bracketed = true;
    } else if (isProven()) {
      lowMs = Math.max(lowMs, ms + 1);
      bracketed = true;
    } else {
      if (nothingMs == Long.MAX_VALUE) {
        pauseLooks = Math.min(MAX_PAUSE_LOOKS, Math.max(1, 2 * pauseLooks));
        looksToWait = pauseLooks;
      }
      nothingMs = ms;
      nothingUpToMs = largestMs;
    }
  }
}
