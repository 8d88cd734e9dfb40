package io.whence.log;

import io.whence.timeline.SegmentTimeline;
import io.whence.timeline.TimelineHit;
import java.util.List;
import java.util.Optional;

/**
 * Searches the visible records of a snapshot in the timelines that are in memory: without a lock, a
 * file or garbage. Passes over damaged parts like {@link BlockCursor}. Thread safety: immutable.
 */
public final class TimelineSearch {
  /** What a search came to. */
  public enum Result {
    /** There is such a record. */
    FOUND,
    /** There is none. */
    NONE,
    /** The answer lies where no timeline is in memory. */
    NOT_LOADED
  }

  private final SegmentTable sealed;
  private final Optional<SegmentView> lastSegment;
  private final int last;
  private final long logStartOffset;

  /**
   * Searches all records of segments from the log start on.
   *
   * @param sealed the segments but the last; only the first may lie below the log start in part
   */
  TimelineSearch(SegmentTable sealed, Optional<SegmentView> lastSegment, long logStartOffset) {
    this.sealed = sealed;
    this.lastSegment = lastSegment;
    this.last = sealed.count() - (lastSegment.isPresent() ? 0 : 1);
    this.logStartOffset = logStartOffset;
  }

  /** Searches all records of segments from the log start on. */
  static TimelineSearch of(List<SegmentView> views, long logStartOffset) {
    int sealedCount = Math.max(0, views.size() - 1);
    return new TimelineSearch(
        new SegmentTable(views.subList(0, sealedCount)),
        views.stream().skip(sealedCount).findFirst(),
        logStartOffset);
  }

  private SegmentView segment(int i) {
    return i < sealed.count() ? sealed.segment(i) : lastSegment.orElseThrow();
  }

  /** Finds the first record at or after a time of 0 or above. */
  public Result firstAtOrAfter(long timestampMs, TimelineHit hit) {
    if (last < 0) {
      return Result.NONE;
    }
    Result result = firstAtOrAfter(0, timestampMs, hit);
    if (result != Result.NONE || last == 0) {
      return result;
    }
    int segment = sealed.firstReaching(timestampMs);
    return firstAtOrAfter(segment < sealed.count() ? segment : last, timestampMs, hit);
  }

  private Result firstAtOrAfter(int at, long timestampMs, TimelineHit hit) {
    SegmentView view = segment(at);
    if (view.index().timestamps().maxMs() < timestampMs) {
      return Result.NONE;
    }
    Optional<SegmentTimeline> timeline = view.timeline();
    if (timeline.isEmpty()) {
      view.slot().want();
    }
    if (timeline.isEmpty() || (at == 0 && !beginsAtStart(timeline.get(), hit))) {
      return Result.NOT_LOADED;
    }
    return timeline.get().firstAtOrAfter(timestampMs, hit) ? Result.FOUND : Result.NONE;
  }

  /** A record below the log start may hide others from the staircase. */
  private boolean beginsAtStart(SegmentTimeline timeline, TimelineHit scratch) {
    return !timeline.first(scratch) || scratch.offset() >= logStartOffset;
  }

  /**
   * Finds the last record at or before a time.
   *
   * @param next is used, and has no meaning afterwards
   */
  public Result lastAtOrBefore(long timestampMs, TimelineHit hit, TimelineHit next) {
    if (last < 0 || timestampMs < 0) {
      return Result.NONE;
    }
    Result result = lastAtOrBefore(last, timestampMs, hit, next);
    if (result != Result.NONE) {
      return result;
    }
    int segment = sealed.lastReaching(timestampMs);
    return segment < 0 ? Result.NONE : lastAtOrBefore(segment, timestampMs, hit, next);
  }

  private Result lastAtOrBefore(int at, long timestampMs, TimelineHit hit, TimelineHit next) {
    SegmentView view = segment(at);
    if (view.index().timestamps().minMs() > timestampMs) {
      return Result.NONE;
    }
    Optional<SegmentTimeline> timeline = view.timeline();
    if (timeline.isEmpty()) {
      view.slot().want();
      return Result.NOT_LOADED;
    }
    boolean found =
        timeline.get().lastAtOrBefore(timestampMs, hit, next) && hit.offset() >= logStartOffset;
    return found ? Result.FOUND : Result.NONE;
  }

  /** Finds the first record, with a timestamp or without. */
  public Result first(TimelineHit hit) {
    return firstFrom(0, hit);
  }

  /**
   * Finds the record behind the one that {@link #lastAtOrBefore} has just found.
   *
   * @param next as that left it; gets the record
   */
  public Result next(TimelineHit hit, TimelineHit next) {
    return next.isFound() ? Result.FOUND : firstFrom(segmentOf(hit.offset()) + 1, next);
  }

  private Result firstFrom(int at, TimelineHit hit) {
    for (int i = at; i <= last; i++) {
      SegmentView view = segment(i);
      if (view.index().timestamps().recordCount() == 0) {
        continue;
      }
      Optional<SegmentTimeline> timeline = view.timeline();
      if (timeline.isEmpty()) {
        view.slot().want();
        return Result.NOT_LOADED;
      }
      if (timeline.get().first(hit)) {
        return hit.offset() >= logStartOffset ? Result.FOUND : Result.NOT_LOADED;
      }
    }
    return Result.NONE;
  }

  private int segmentOf(long offset) {
    int low = 0;
    int high = last;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (segment(middle).index().nextOffset() <= offset) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Finds the first of the records with the largest timestamp. */
  public Result firstOfLargest(TimelineHit hit) {
    if (last < 0) {
      return Result.NONE;
    }
    long firstMs = maxMs(0);
    long sealedMs = sealed.maxMsBehindFirst();
    long lastMs = last == 0 ? Long.MIN_VALUE : maxMs(last);
    if (firstMs >= 0 && firstMs >= sealedMs && firstMs >= lastMs) {
      Result result = firstOfLargest(0, hit);
      if (result == Result.FOUND && hit.offset() < logStartOffset) {
        return Result.NOT_LOADED; // What is largest of the rest is not known.
      }
      boolean isLargest = result == Result.FOUND && hit.timestampMs() >= Math.max(sealedMs, lastMs);
      if (isLargest || result == Result.NOT_LOADED) {
        return result;
      }
    }
    if (sealedMs >= 0 && sealedMs >= lastMs) {
      return firstOfLargest(sealed.firstReaching(sealedMs), hit);
    }
    return lastMs >= 0 ? firstOfLargest(last, hit) : Result.NONE;
  }

  private long maxMs(int at) {
    return segment(at).index().timestamps().maxMs();
  }

  private Result firstOfLargest(int at, TimelineHit hit) {
    SegmentView view = segment(at);
    Optional<SegmentTimeline> timeline = view.timeline();
    if (timeline.isEmpty()) {
      view.slot().want();
      return Result.NOT_LOADED;
    }
    return timeline.get().firstOfLargest(hit) ? Result.FOUND : Result.NONE;
  }

  /** Returns whether there is a record; with a timestamp, if asked. */
  public Result anyRecord(boolean timedOnly, TimelineHit scratch) {
    for (int i = 1; i <= last; i++) {
      TimestampHealth times = segment(i).index().timestamps();
      if (times.recordCount() > (timedOnly ? times.withoutTimestampCount() : 0)) {
        return Result.FOUND;
      }
    }
    if (last < 0) {
      return Result.NONE;
    }
    return timedOnly ? firstAtOrAfter(0, 0, scratch) : first(scratch);
  }
}
