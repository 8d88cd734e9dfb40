package io.whence.model;

/** Tells work that nobody waits for it any more. Thread safety: thread-safe. */
@FunctionalInterface
public interface Cancellation {
  /** Never stops the work. */
  Cancellation NONE = () -> {};

  /**
   * Throws if the work should stop: its deadline passed or its caller left. Cheap enough to be
   * called once a block.
   *
   * @throws WhenceException with reason {@code DEADLINE_EXCEEDED}
   */
  void check();

  /**
   * Returns for how long somebody waits, in nanoseconds: 0 or less once the deadline passed, the
   * largest long where there is none.
   */
  default long remainingNanos() {
    return Long.MAX_VALUE;
  }
}
