package io.whence.log;

import io.whence.model.IsolationLevel;
import io.whence.model.WhenceException;
import io.whence.timeline.SegmentTimeline;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The timelines of what readers of committed records see of a log with transactions. Segments that
 * hold nothing but what they see are those of all readers; the others are read for it. Thread
 * safety: thread-safe.
 */
final class CommittedTimelines {
  private CommittedTimelines() {}

  /**
   * Returns a search, if all that it needs can be read.
   *
   * @param preload has room for timelines that are made, or not: then the log answers
   */
  static Optional<TimelineSearch> of(LogSnapshot log, Preload preload) {
    long logStartOffset = log.logStartOffset();
    long endOffset = log.lastStableOffset();
    List<SegmentView> views = new ArrayList<>();
    try {
      for (SegmentView view : log.views()) {
        SegmentIndex index = view.index();
        if (index.nextOffset() > logStartOffset && index.baseOffset() < endOffset) {
          views.add(log.hidesSome(index) ? committed(log, view, preload) : view);
        }
      }
    } catch (WhenceException e) {
      return Optional.empty(); // Lookups find the damage, and tell of it.
    }
    return Optional.of(TimelineSearch.of(views, logStartOffset));
  }

  private static SegmentView committed(LogSnapshot log, SegmentView view, Preload preload) {
    SegmentIndex index = view.index();
    TimelineScan scan =
        TimelineScan.of(log, IsolationLevel.READ_COMMITTED, index.baseOffset(), index.nextOffset());
    SegmentTimeline timeline = scan.timeline().compacted();
    return new SegmentView(
        view.file(),
        index.withTimestamps(scan.figures()),
        preload.reserve(timeline.sizeInBytes()) ? Optional.of(timeline) : Optional.empty());
  }
}
