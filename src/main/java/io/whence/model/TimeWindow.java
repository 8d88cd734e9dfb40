package io.whence.model;

/**
 * A span of time.
 *
 * @param fromMs the start in epoch milliseconds, inclusive
 * @param toMs the end in epoch milliseconds, exclusive; not before the start
 */
public record TimeWindow(long fromMs, long toMs) {
  /** Rejects windows that end before they start. */
  public TimeWindow {
    if (toMs < fromMs) {
      throw new IllegalArgumentException("window ends at " + toMs + ", before its start " + fromMs);
    }
  }

  /** Returns whether a timestamp lies in the window. */
  public boolean contains(long timestampMs) {
    return fromMs <= timestampMs && timestampMs < toMs;
  }
}
