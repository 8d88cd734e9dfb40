package io.whence.log;

import java.util.OptionalLong;

/**
 * Damage that readers have found in files that were whole when they were opened. Thread safety:
 * thread-safe; holds nothing.
 */
public final class FoundDamage {
  private FoundDamage() {}

  /**
   * Returns where the first segment begins of a log that a reader has found damaged.
   *
   * @return an offset, inclusive; empty if no reader has found anything
   */
  public static OptionalLong firstOffset(LogSnapshot log) {
    for (SegmentView segment : log.views()) {
      if (segment.file().isFoundDamaged()) {
        return OptionalLong.of(segment.index().baseOffset());
      }
    }
    return OptionalLong.empty();
  }
}
