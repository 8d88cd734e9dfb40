package io.whence.log;

import io.whence.timeline.SegmentTimeline;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where the timeline of a segment is, while it is in memory. Dropped and loaded again while readers
 * go on: one that got it keeps it. Thread safety: thread-safe.
 */
final class TimelineSlot {
  private volatile @Nullable SegmentTimeline timeline;
  private volatile boolean wanted;

  /** A log start that the timeline can't be cut at, since the log is damaged there. */
  private volatile long uncuttableOffset = -1;

  TimelineSlot(Optional<SegmentTimeline> timeline) {
    this.timeline = timeline.orElse(null);
  }

  /** Returns what is in memory. */
  @Nullable SegmentTimeline timeline() {
    return timeline;
  }

  /** Returns how much memory it takes. */
  long sizeInBytes() {
    SegmentTimeline loaded = timeline;
    return loaded == null ? 0 : loaded.sizeInBytes();
  }

  /** Notes that somebody missed it. */
  void want() {
    if (!wanted) {
      wanted = true;
    }
  }

  boolean isUncuttable(long logStartOffset) {
    return uncuttableOffset == logStartOffset;
  }

  void setUncuttable(long logStartOffset) {
    uncuttableOffset = logStartOffset;
  }

  boolean isWanted() {
    return wanted;
  }

  /** Lets go of it. Returns whether it was there. */
  boolean drop() {
    boolean was = timeline != null;
    timeline = null;
    wanted = false;
    return was;
  }

  void set(Optional<SegmentTimeline> newTimeline) {
    timeline = newTimeline.orElse(null);
  }
}
