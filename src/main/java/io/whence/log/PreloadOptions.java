package io.whence.log;

/**
 * How timelines are held in memory. Thread safety: immutable.
 *
 * @param memoryBytes how much memory they may take, those of active segments included, which are
 *     always held
 * @param mode which are loaded
 * @param recentMs in mode {@code RECENT}: how far from the newest record of all segments the newest
 *     of a segment may lie, in milliseconds, for a start to wait for it
 */
public record PreloadOptions(long memoryBytes, Mode mode, long recentMs) {
  /** Options without a bound, for logs of tests and tools. */
  public static final PreloadOptions UNBOUNDED = new PreloadOptions(Long.MAX_VALUE, Mode.ALL, 0);

  /** Which timelines are loaded. */
  public enum Mode {
    /** All, newest first, and a start waits for them. */
    ALL,
    /** All, newest first, and a start waits for recent ones. */
    RECENT,
    /** Those that lookups ask for. */
    LAZY
  }

  /** Rejects what can't be. */
  public PreloadOptions {
    if (memoryBytes < 0 || recentMs < 0) {
      throw new IllegalArgumentException(
          "memoryBytes " + memoryBytes + ", recentMs " + recentMs + ": must not be negative");
    }
  }
}
