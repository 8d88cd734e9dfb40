package io.whence.source.kafka;

import java.time.Duration;

/**
 * Where the following of a partition begins that was there before this server first saw it. Thread
 * safety: immutable.
 */
public sealed interface StartPoint {
  /** At the first record that the cluster has. */
  record Earliest() implements StartPoint {}

  /** At the end: only what comes from then on. */
  record Latest() implements StartPoint {}

  /**
   * At the first record that is no older than a span of time; at the end if there is none.
   *
   * @param span how long ago, above 0, by the clock of the source
   */
  record Ago(Duration span) implements StartPoint {
    /** Rejects spans that are not positive. */
    public Ago {
      if (span.isNegative() || span.isZero()) {
        throw new IllegalArgumentException("span " + span + " is not positive");
      }
    }
  }
}
