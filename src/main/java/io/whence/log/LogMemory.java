package io.whence.log;

/**
 * The memory that all logs of the process share. Thread safety: immutable.
 *
 * @param blocks holds the blocks of segments that are no longer appended to
 */
public record LogMemory(BlockIndexCache blocks) {
  /** What a process takes that says nothing else, in bytes. */
  public static final long USUAL_BLOCK_BYTES = 64L << 20;

  /**
   * Returns whether a start may load a timeline while it reads the summary of its segment; else it
   * is loaded later, in its turn.
   */
  boolean takesAtStart(long memoryBytes) {
    return memoryBytes >= 0;
  }

  boolean takesAtStart(TimelineFile.Summary summary) {
    return takesAtStart(summary.memoryBytes());
  }

  /** Returns memory of the usual size that nobody else shares. */
  public static LogMemory usual() {
    return new LogMemory(new BlockIndexCache(USUAL_BLOCK_BYTES));
  }
}
