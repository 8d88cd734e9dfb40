package io.whence.log;

import java.util.OptionalLong;

/**
 * What is known to be damaged in a log: by those who opened it, and by readers since. Thread
 * safety: thread-safe; holds nothing.
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

  /**
   * Counts the places of a log where an answer could lie that can't be read: each range of offsets
   * that was damaged when it was opened, and each segment in which a reader has found damage since.
   * What lies below the log start counts no more.
   */
  public static int count(LogSnapshot log) {
    long start = log.logStartOffset();
    int count = 0;
    for (Damage damage : log.damages()) {
      count += damage.range().intersects(start, Long.MAX_VALUE) ? 1 : 0;
    }
    for (SegmentView segment : log.views()) {
      boolean visible = segment.index().nextOffset() > start;
      count += visible && segment.file().isFoundDamaged() ? 1 : 0;
    }
    return count;
  }
}
