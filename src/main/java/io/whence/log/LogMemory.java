package io.whence.log;

/**
 * The memory that all logs of the process share. Thread safety: immutable.
 *
 * @param blocks holds the blocks of segments that are no longer appended to
 * @param preload holds their timelines
 */
public record LogMemory(BlockIndexCache blocks, Preload preload) {
  /** What a process takes that says nothing else, in bytes. */
  public static final long USUAL_BLOCK_BYTES = 64L << 20;

  /** Returns memory of the usual size that nobody else shares. */
  public static LogMemory usual() {
    return new LogMemory(
        new BlockIndexCache(USUAL_BLOCK_BYTES),
        new Preload(PreloadOptions.UNBOUNDED, PreloadEvents.NOOP));
  }
}
