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
  private HeadCut() {}

  /** Lets the timeline of the segment that the log begins in begin there, too. */
  static void apply(List<SegmentView> segments, long logStartOffset) {
    due(segments, logStartOffset)
        .ifPresent(
            head ->
                of(head, logStartOffset, Long.MAX_VALUE)
                    .map(SegmentTimeline::compacted)
                    .ifPresent(timeline -> head.slot().set(Optional.of(timeline))));
  }

  /** Returns the segment that the log begins in, if its timeline is in memory and begins below. */
  static Optional<SegmentView> due(LogSnapshot log) {
    return due(log.views(), log.logStartOffset());
  }

  private static Optional<SegmentView> due(List<SegmentView> segments, long logStartOffset) {
    for (SegmentView view : segments) {
      if (view.index().nextOffset() > logStartOffset) {
        boolean isDue =
            view.timeline().filter(timeline -> beginsBelow(timeline, logStartOffset)).isPresent()
                && !view.slot().isUncuttable(logStartOffset);
        return isDue ? Optional.of(view) : Optional.empty();
      }
    }
    return Optional.empty();
  }

  private static boolean beginsBelow(SegmentTimeline timeline, long offset) {
    TimelineHit first = new TimelineHit();
    return timeline.first(first) && first.offset() < offset;
  }

  /**
   * Returns the timeline of the records from the log start on, if it can be told.
   *
   * @param maxOffsets how many offsets are read for it at the most
   */
  static Optional<SegmentTimeline> of(SegmentView view, long logStartOffset, long maxOffsets) {
    return view.timeline().flatMap(timeline -> of(view, timeline, logStartOffset, maxOffsets));
  }

  private static Optional<SegmentTimeline> of(
      SegmentView view, SegmentTimeline timeline, long logStartOffset, long maxOffsets) {
    if (!beginsBelow(timeline, logStartOffset)) {
      return Optional.of(timeline);
    }
    long knownFrom = timeline.knownFrom(logStartOffset);
    if (knownFrom - logStartOffset > maxOffsets) {
      return Optional.empty();
    }
    return hidden(view, logStartOffset, knownFrom)
        .map(head -> timeline.startingAt(logStartOffset, knownFrom, head));
  }

  /**
   * Returns the timeline of the records between a log start and where the timeline of their segment
   * is known from, if they can be read.
   */
  static Optional<SegmentTimeline> hidden(SegmentView view, long logStartOffset, long knownFrom) {
    try {
      return Optional.of(read(view, logStartOffset, knownFrom));
    } catch (WhenceException e) {
      if (!e.reason().isRetriable()) {
        view.slot().setUncuttable(logStartOffset);
      }
      return Optional.empty(); // Lookups find what is wrong, and tell of it.
    }
  }

  private static SegmentTimeline read(SegmentView view, long startOffset, long endOffset) {
    LogSnapshot part =
        new LogSnapshot(List.of(view), startOffset, endOffset, AbortedTransactions.NONE, List.of());
    return TimelineScan.of(part, IsolationLevel.READ_UNCOMMITTED, startOffset, endOffset)
        .timeline();
  }
}
