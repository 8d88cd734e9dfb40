package io.whence.log;

import io.whence.timeline.SegmentTimeline;
import java.util.Optional;

/**
 * Where the timeline of a segment is, while it is in memory. Dropped and loaded again while readers
 * go on: one that got it keeps it. Thread safety: thread-safe.
 */
final class TimelineSlot {
  private volatile Optional<SegmentTimeline> timeline;
  private volatile boolean wanted;

  /** A log start that the timeline can't be cut at, since the log is damaged there. */
  private volatile long uncuttableOffset = -1;

  TimelineSlot(Optional<SegmentTimeline> timeline) {
    this.timeline = timeline;
  }

  Optional<SegmentTimeline> timeline() {
    return timeline;
  }

  /** Returns how much memory it takes. */
  long sizeInBytes() {
    return timeline.map(SegmentTimeline::sizeInBytes).orElse(0L);
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
    boolean was = timeline.isPresent();
    timeline = Optional.empty();
    wanted = false;
    return was;
  }

  void set(Optional<SegmentTimeline> newTimeline) {
    timeline = newTimeline;
  }
}
