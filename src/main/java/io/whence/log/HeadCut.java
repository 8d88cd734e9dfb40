package io.whence.log;

import io.whence.model.IsolationLevel;
import io.whence.model.WhenceException;
import io.whence.timeline.SegmentTimeline;
import io.whence.timeline.TimelineHit;
import java.util.List;
import java.util.Optional;

/**
 * The timeline of what a log start leaves of the segment that it lies in. Records that are gone may
 * have hidden others from the staircase; these are read again. Thread safety: thread-safe.
 */
final class HeadCut {
  /** More than this is not read; lookups in the segment read the log then, until it goes. */
  private static final long MAX_OFFSETS = 1 << 20;

  private HeadCut() {}

  /** Lets the timeline of the segment that the log begins in begin there, too. */
  static void apply(List<SegmentView> segments, long logStartOffset) {
    for (SegmentView view : segments) {
      if (view.index().nextOffset() > logStartOffset) {
        of(view, logStartOffset)
            .map(SegmentTimeline::compacted)
            .ifPresent(timeline -> view.slot().set(Optional.of(timeline)));
        return;
      }
    }
  }

  /** Returns the timeline of the records from the log start on, if it can be told. */
  static Optional<SegmentTimeline> of(SegmentView view, long logStartOffset) {
    return view.timeline().flatMap(timeline -> of(view, timeline, logStartOffset));
  }

  private static Optional<SegmentTimeline> of(
      SegmentView view, SegmentTimeline timeline, long logStartOffset) {
    TimelineHit first = new TimelineHit();
    if (!timeline.first(first) || first.offset() >= logStartOffset) {
      return Optional.of(timeline);
    }
    long knownFrom = timeline.knownFrom(logStartOffset);
    if (knownFrom - logStartOffset > MAX_OFFSETS) {
      return Optional.empty();
    }
    try {
      SegmentTimeline head = read(view, logStartOffset, knownFrom);
      return Optional.of(timeline.startingAt(logStartOffset, knownFrom, head));
    } catch (WhenceException e) {
      return Optional.empty(); // Lookups find the damage, and tell of it.
    }
  }

  private static SegmentTimeline read(SegmentView view, long startOffset, long endOffset) {
    LogSnapshot part =
        new LogSnapshot(List.of(view), startOffset, endOffset, AbortedTransactions.NONE, List.of());
    return TimelineScan.of(part, IsolationLevel.READ_UNCOMMITTED, startOffset, endOffset)
        .timeline();
  }
}
