package io.whence.log;

import io.whence.timeline.SegmentTimeline;
import io.whence.timeline.TimelineHit;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
  private final @Nullable SegmentView lastSegment;
  private final int last;
  private final long logStartOffset;

  /** Here, since each further object that a search looks at costs it a cache line. */
  private final long firstMaxMs;

  private final long lastMaxMs;
  private final long lastMinMs;

  /** Whether the first segment begins below the log start. */
  private final boolean isHeadCut;

  /**
   * Searches all records of segments from the log start on.
   *
   * @param sealed the segments but the last; only the first may lie below the log start in part
   */
  TimelineSearch(SegmentTable sealed, @Nullable SegmentView lastSegment, long logStartOffset) {
    this.sealed = sealed;
    this.lastSegment = lastSegment;
    this.last = sealed.count() - (lastSegment == null ? 1 : 0);
    this.logStartOffset = logStartOffset;
    boolean any = last >= 0;
    this.firstMaxMs = any ? timestamps(0).maxMs() : Long.MIN_VALUE;
    this.lastMaxMs = any ? timestamps(last).maxMs() : Long.MIN_VALUE;
    this.lastMinMs = any ? timestamps(last).minMs() : Long.MAX_VALUE;
    this.isHeadCut = any && segment(0).index().baseOffset() < logStartOffset;
  }

  /** Searches all records of segments from the log start on. */
  static TimelineSearch of(List<SegmentView> views, long logStartOffset) {
    int sealedCount = Math.max(0, views.size() - 1);
    return new TimelineSearch(
        new SegmentTable(views.subList(0, sealedCount)),
        views.isEmpty() ? null : views.get(sealedCount),
        logStartOffset);
  }

  private SegmentView segment(int i) {
    if (lastSegment != null && i == last) {
      return lastSegment;
    }
    return sealed.segment(i);
  }

  private TimestampHealth timestamps(int i) {
    return segment(i).index().timestamps();
  }

  /** Finds the first record at or after a time of 0 or above. */
  public Result firstAtOrAfter(long timestampMs, TimelineHit hit) {
    if (firstMaxMs >= timestampMs) {
      Result result = firstAtOrAfter(0, timestampMs, hit);
      if (result != Result.NONE) {
        return result;
      }
    }
    int segment = sealed.firstReaching(timestampMs);
    if (segment < sealed.count()) {
      return firstAtOrAfter(segment, timestampMs, hit);
    }
    return last > 0 && lastMaxMs >= timestampMs
        ? firstAtOrAfter(last, timestampMs, hit)
        : Result.NONE;
  }

  private Result firstAtOrAfter(int at, long timestampMs, TimelineHit hit) {
    SegmentTimeline timeline = loaded(at);
    if (timeline == null || (at == 0 && isHeadCut && !beginsAtStart(timeline, hit))) {
      return Result.NOT_LOADED;
    }
    return timeline.firstAtOrAfter(timestampMs, hit) ? Result.FOUND : Result.NONE;
  }

  /**
   * Returns the timeline that a search at a time is likely to look into.
   *
   * @return null if it is not in memory
   */
  public @Nullable SegmentTimeline timelineAt(long timestampMs) {
    if (last < 0) {
      return null;
    }
    int at = firstMaxMs >= timestampMs ? 0 : Math.min(sealed.firstReaching(timestampMs), last);
    return segment(at).slot().timeline();
  }

  /** Returns a timeline that is in memory, or notes that it was missed. */
  private @Nullable SegmentTimeline loaded(int at) {
    TimelineSlot slot = segment(at).slot();
    SegmentTimeline timeline = slot.timeline();
    if (timeline == null) {
      slot.want();
    }
    return timeline;
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
    if (lastMinMs <= timestampMs) {
      Result result = lastAtOrBefore(last, timestampMs, hit, next);
      if (result != Result.NONE) {
        return result;
      }
    }
    int segment = sealed.lastReaching(timestampMs);
    return segment < 0 ? Result.NONE : lastAtOrBefore(segment, timestampMs, hit, next);
  }

  private Result lastAtOrBefore(int at, long timestampMs, TimelineHit hit, TimelineHit next) {
    SegmentTimeline timeline = loaded(at);
    if (timeline == null) {
      return Result.NOT_LOADED;
    }
    boolean found =
        timeline.lastAtOrBefore(timestampMs, hit, next) && hit.offset() >= logStartOffset;
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
      if (timestamps(i).recordCount() == 0) {
        continue;
      }
      SegmentTimeline timeline = loaded(i);
      if (timeline == null) {
        return Result.NOT_LOADED;
      }
      if (timeline.first(hit)) {
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
    long firstMs = firstMaxMs;
    long sealedMs = sealed.maxMsBehindFirst();
    long lastMs = last == 0 ? Long.MIN_VALUE : lastMaxMs;
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

  private Result firstOfLargest(int at, TimelineHit hit) {
    SegmentTimeline timeline = loaded(at);
    if (timeline == null) {
      return Result.NOT_LOADED;
    }
    return timeline.firstOfLargest(hit) ? Result.FOUND : Result.NONE;
  }

  /** Returns whether there is a record; with a timestamp, if asked. */
  public Result anyRecord(boolean timedOnly, TimelineHit scratch) {
    for (int i = 1; i <= last; i++) {
      TimestampHealth times = timestamps(i);
      if (times.recordCount() > (timedOnly ? times.withoutTimestampCount() : 0)) {
        return Result.FOUND;
      }
    }
    if (last < 0) {
      return Result.NONE;
    }
    if (!timedOnly) {
      return first(scratch);
    }
    return firstMaxMs >= 0 ? firstAtOrAfter(0, 0, scratch) : Result.NONE;
  }
}
