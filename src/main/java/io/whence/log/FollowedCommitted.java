package io.whence.log;

import io.whence.model.Cancellation;
import io.whence.model.IsolationLevel;
import io.whence.model.WhenceException;
import io.whence.timeline.SegmentTimeline;
import io.whence.timeline.SegmentTimelineBuilder;
import io.whence.timeline.TimelineHit;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The timelines of what readers of committed records see of a followed log with transactions. Grows
 * with the last stable offset: only what was decided since is read again. Segments that hold
 * nothing but what they see are those of all readers. Thread safety: single-writer; the lock of the
 * log guards it.
 */
final class FollowedCommitted {
  /** By base offset: segments all of which is decided, and of which they don't see some. */
  private final Map<Long, SegmentView> hiding = new HashMap<>();

  /** The segment in which the last stable offset lies. */
  private @Nullable Growing growing;

  /** Up to where timelines have what they see. */
  private long decidedTo;

  /** A segment of which more and more is decided. */
  private static final class Growing {
    private final long baseOffset;
    private SegmentTimelineBuilder timeline = new SegmentTimelineBuilder();
    private TimestampHealth figures = TimestampHealth.NONE;

    Growing(long baseOffset) {
      this.baseOffset = baseOffset;
    }

    Growing(SegmentIndex index, SegmentTimeline all) {
      this.baseOffset = index.baseOffset();
      this.timeline = new SegmentTimelineBuilder(all);
      this.figures = index.timestamps();
    }

    SegmentView view(SegmentView all) {
      return new SegmentView(
          all.file(), all.index().withTimestamps(figures), Optional.of(timeline.build()));
    }
  }

  /**
   * Begins with a log in which all see everything.
   *
   * @param log its last state before the first transaction
   */
  void begin(LogSnapshot log) {
    SegmentView last = log.segment(log.segmentCount() - 1);
    last.timeline()
        .ifPresent(
            timeline -> {
              growing = new Growing(last.index(), timeline);
              decidedTo = log.highWatermark();
            });
  }

  /**
   * Reads what was decided since the last call.
   *
   * @return a search; null if not all that it needs can be read
   */
  @Nullable TimelineSearch advance(LogSnapshot log) {
    try {
      cutHead(log);
      readDecided(log);
      return search(log);
    } catch (WhenceException e) {
      // Some may have been added. What is read again later is all of the segment.
      growing = null;
      decidedTo = 0;
      return null; // Lookups find what is wrong, and tell of it.
    }
  }

  /**
   * Returns what they see of a segment that takes the place of others, if that is not all and all
   * of it is decided and can be read.
   *
   * @param log the log before
   */
  static Optional<SegmentView> seenOf(
      LogSnapshot log, SegmentView replacement, Cancellation cancellation) {
    SegmentIndex index = replacement.index();
    LogSnapshot alone =
        new LogSnapshot(
            List.of(replacement),
            log.firstOffset(),
            log.highWatermark(),
            log.transactions(),
            log.damages());
    if (index.nextOffset() > log.lastStableOffset() || !alone.hidesSome(index)) {
      return Optional.empty();
    }
    long start = Math.max(index.baseOffset(), log.firstOffset());
    try {
      TimelineScan scan =
          TimelineScan.of(
              alone,
              IsolationLevel.READ_COMMITTED,
              start,
              index.nextOffset(),
              new SegmentTimelineBuilder(),
              cancellation);
      return Optional.of(
          new SegmentView(
              replacement.file(),
              index.withTimestamps(scan.figures()),
              Optional.of(scan.timeline().compacted())));
    } catch (WhenceException e) {
      return Optional.empty(); // It is read again when it is needed.
    }
  }

  /**
   * Goes on with a segment that has taken the place of others.
   *
   * @param seen what they see of it; if it is not known but needed, it is read
   */
  void replace(List<Long> oldBases, SegmentView by, Optional<SegmentView> seen) {
    oldBases.forEach(hiding::remove);
    SegmentIndex index = by.index();
    boolean wasGrowing = growing != null && oldBases.contains(growing.baseOffset);
    if (seen.isPresent() && !wasGrowing) {
      hiding.put(index.baseOffset(), seen.get());
    } else if (decidedTo > index.baseOffset()) {
      growing = null; // What it grew on was before this.
      decidedTo = index.baseOffset();
    }
  }

  /** Takes the index of a segment from where it is now, and stores what they see of it. */
  void settled(LogSnapshot log, SegmentView all) {
    long base = all.index().baseOffset();
    SegmentView known = hiding.get(base);
    if (known != null) {
      SegmentIndex index = all.index().withTimestamps(known.index().timestamps());
      SegmentView seen = new SegmentView(all.file(), index, known.timeline());
      hiding.put(base, seen);
      store(log, seen);
    }
  }

  private void readDecided(LogSnapshot log) {
    long end = log.lastStableOffset();
    for (int i = firstUndecided(log); i < log.segmentCount(); i++) {
      SegmentView view = log.segment(i);
      SegmentIndex index = view.index();
      if (index.baseOffset() >= end) {
        return;
      }
      boolean isWhole = i < log.segmentCount() - 1 && index.nextOffset() <= end;
      if (!isWhole) {
        readDecided(log, view);
      } else if (!isKnown(log, view)) {
        readDecided(log, view);
        finish(log, view);
      } else {
        decidedTo = Math.max(decidedTo, index.nextOffset());
      }
    }
  }

  /** Returns whether nothing of a segment that is wholly decided has to be read. */
  private boolean isKnown(LogSnapshot log, SegmentView view) {
    SegmentIndex index = view.index();
    if (isGrowing(index)) {
      return false;
    }
    if (!log.hidesSome(index) || hiding.containsKey(index.baseOffset())) {
      return true;
    }
    Optional<SegmentView> stored = CommittedFile.read(log, view);
    if (stored.isPresent()) {
      hiding.put(index.baseOffset(), stored.get());
      cutHead(log, index.baseOffset()); // The log start may have risen since it was stored.
    }
    return stored.isPresent();
  }

  private int firstUndecided(LogSnapshot log) {
    int i = 0;
    while (i < log.segmentCount()
        && log.segment(i).index().nextOffset() <= Math.max(decidedTo, log.logStartOffset())
        && !isGrowing(log.segment(i).index())) {
      i++;
    }
    return i;
  }

  private boolean isGrowing(SegmentIndex index) {
    return growing != null && growing.baseOffset == index.baseOffset();
  }

  private void readDecided(LogSnapshot log, SegmentView view) {
    SegmentIndex index = view.index();
    if (!isGrowing(index)) {
      enter(log, view);
    }
    Growing segment = growing;
    long to = Math.min(index.nextOffset(), log.lastStableOffset());
    if (segment != null && to > decidedTo) {
      TimelineScan scan =
          TimelineScan.of(log, IsolationLevel.READ_COMMITTED, decidedTo, to, segment.timeline);
      segment.figures = segment.figures.plus(scan.figures());
      decidedTo = to;
    }
  }

  private void enter(LogSnapshot log, SegmentView view) {
    SegmentIndex index = view.index();
    Optional<SegmentTimeline> timeline = view.timeline();
    if (timeline.isPresent() && !log.hidesSome(index)) {
      growing = new Growing(index, timeline.get());
      decidedTo = index.nextOffset();
    } else {
      growing = new Growing(index.baseOffset());
      decidedTo = Math.max(index.baseOffset(), log.logStartOffset());
    }
  }

  private void finish(LogSnapshot log, SegmentView view) {
    SegmentIndex index = view.index();
    Growing segment = growing;
    if (segment != null && segment.baseOffset == index.baseOffset()) {
      growing = null;
      if (log.hidesSome(index)) {
        SegmentView seen = packed(segment.view(view));
        hiding.put(index.baseOffset(), seen);
        store(log, seen);
      }
    }
    decidedTo = Math.max(decidedTo, index.nextOffset());
  }

  private static void store(LogSnapshot log, SegmentView seen) {
    try {
      CommittedFile.write(log, seen);
    } catch (IOException e) {
      // A full disk, perhaps: the next start reads the log for it.
    }
  }

  private static SegmentView packed(SegmentView view) {
    return new SegmentView(
        view.file(), view.index(), view.timeline().map(SegmentTimeline::compacted));
  }

  private TimelineSearch search(LogSnapshot log) {
    List<SegmentView> views = new ArrayList<>();
    for (SegmentView view : log.views()) {
      SegmentIndex index = view.index();
      if (index.nextOffset() > log.logStartOffset()
          && index.baseOffset() < log.lastStableOffset()) {
        views.add(committed(view));
      }
    }
    return TimelineSearch.of(views, log.logStartOffset());
  }

  private SegmentView committed(SegmentView view) {
    Growing segment = growing;
    return segment != null && segment.baseOffset == view.index().baseOffset()
        ? segment.view(view)
        : hiding.getOrDefault(view.index().baseOffset(), view);
  }

  /** Lets the timeline begin where the log does of the segment that the log begins in. */
  private void cutHead(LogSnapshot log) {
    long start = log.logStartOffset();
    long firstBase = log.segment(0).index().baseOffset();
    hiding.keySet().removeIf(base -> base < firstBase);
    for (SegmentView view : log.views()) {
      if (view.index().nextOffset() > start) {
        cutHead(log, view.index().baseOffset());
        return;
      }
    }
  }

  private void cutHead(LogSnapshot log, long baseOffset) {
    SegmentView own = hiding.get(baseOffset);
    if (own != null) {
      own.timeline()
          .flatMap(timeline -> cut(log, timeline))
          .map(rest -> new SegmentView(own.file(), own.index(), Optional.of(rest.compacted())))
          .ifPresent(view -> hiding.put(baseOffset, view)); // Older snapshots keep theirs.
    }
    Growing segment = growing;
    if (segment != null && segment.baseOffset == baseOffset) {
      cut(log, segment.timeline.build())
          .ifPresent(rest -> segment.timeline = new SegmentTimelineBuilder(rest));
      decidedTo = Math.max(decidedTo, log.logStartOffset());
    }
  }

  /** Returns what the log start leaves of a timeline that begins below. */
  private static Optional<SegmentTimeline> cut(LogSnapshot log, SegmentTimeline timeline) {
    long start = log.logStartOffset();
    TimelineHit first = new TimelineHit();
    if (!timeline.first(first) || first.offset() >= start) {
      return Optional.empty();
    }
    long knownFrom = timeline.knownFrom(start);
    SegmentTimeline head =
        TimelineScan.of(log, IsolationLevel.READ_COMMITTED, start, knownFrom).timeline();
    return Optional.of(timeline.startingAt(start, knownFrom, head));
  }
}
