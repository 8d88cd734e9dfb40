package io.whence.log;

import io.whence.timeline.SegmentTimeline;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The segments of a log, and what of them is on disk. Invariant: snapshots and the high watermark
 * hold only what is (I1), so nothing that was published is ever cut off. Thread safety:
 * single-writer; the lock of the log guards it.
 */
final class SegmentList {
  /** Appends wait while the timeline of the active segment is cut: more than this is not read. */
  private static final long MAX_ACTIVE_CUT_OFFSETS = 4096;

  private final List<LogSegment> segments;
  private final List<Damage> damages;
  private long logStartOffset;

  /** The part of the active segment that is on disk. */
  private SegmentView durable;

  /** All segments but the active one, as snapshots see them; empty when they have changed. */
  private Optional<SegmentTable> sealed = Optional.empty();

  private boolean broken;

  /** Takes over segments that are on disk. */
  SegmentList(LoadedSegments loaded) {
    this.segments = new ArrayList<>(loaded.segments());
    this.damages = new ArrayList<>(loaded.damages());
    this.logStartOffset = loaded.logStartOffset();
    for (LogSegment segment : segments.subList(0, segments.size() - 1)) {
      segment.settle();
    }
    this.durable = active().view();
    cutHead(Long.MAX_VALUE); // Nobody waits for the log yet.
  }

  /** Returns the segment that is appended to. */
  LogSegment active() {
    return segments.get(segments.size() - 1);
  }

  long logStartOffset() {
    return logStartOffset;
  }

  long highWatermark() {
    return durable.index().nextOffset();
  }

  /** Returns the base offset of the segment after the first {@code count}. */
  long startAfter(int count) {
    return segments.get(count).baseOffset();
  }

  /** Returns everything that is written, by base offset, on disk or not. */
  List<SegmentView> writtenViews() {
    return segments.stream().map(LogSegment::view).toList();
  }

  LogSnapshot snapshot() {
    SegmentTable table = sealed.orElseGet(this::sealedTable);
    sealed = Optional.of(table);
    return new LogSnapshot(
        table,
        durable,
        LogExtent.of(logStartOffset, highWatermark()),
        AbortedTransactions.NONE,
        damages,
        null);
  }

  private SegmentTable sealedTable() {
    return new SegmentTable(
        segments.subList(0, segments.size() - 1).stream().map(LogSegment::view).toList());
  }

  /** Says that a part of a segment is on disk. */
  void setDurable(SegmentView view) {
    // A roll that came in between has put all of the segment on disk that was active then.
    if (view.index().nextOffset() > highWatermark()) {
      durable = view;
    }
  }

  /** Adds an empty segment behind the active one, all of which is on disk. */
  void add(LogSegment next) {
    active().settle();
    segments.add(next);
    durable = next.view();
    sealed = Optional.empty();
  }

  /** Says that what is not on disk must not be appended to. */
  void breakOff() {
    broken = true;
  }

  /** Cuts off what was not on disk when a flush failed (I2). */
  void cutIfBroken() throws IOException {
    if (broken) {
      segments.set(segments.size() - 1, active().cutTo(durable));
      broken = false;
    }
  }

  /** Raises the log start offset. Returns the segments that are no longer part of the log. */
  List<LogSegment> raiseStart(long newLogStartOffset) {
    logStartOffset = newLogStartOffset;
    List<LogSegment> below = new ArrayList<>();
    for (int i = 0; i + 1 < segments.size(); i++) {
      if (segments.get(i + 1).baseOffset() <= logStartOffset) {
        below.add(segments.get(i));
      }
    }
    segments.removeAll(below);
    sealed = Optional.empty();
    damages.removeIf(damage -> damage.range().endOffset() <= newLogStartOffset);
    if (segments.size() == 1) {
      cutHead(MAX_ACTIVE_CUT_OFFSETS); // Others are cut outside of the lock.
    }
    return below;
  }

  private void cutHead(long maxOffsets) {
    LogSegment head = segments.get(0);
    if (logStartOffset > head.baseOffset()) {
      HeadCut.of(head.view(), logStartOffset, maxOffsets)
          .ifPresent(rest -> setHeadTimeline(head, rest));
    }
  }

  private void setHeadTimeline(LogSegment head, SegmentTimeline rest) {
    head.setTimeline(rest, logStartOffset);
    sealed = Optional.empty();
    if (head == active()) {
      boolean allDurable = durable.index().nextOffset() == head.nextOffset();
      durable =
          allDurable
              ? head.view()
              // Until the next flush, since its timeline is of another part of the records.
              : new SegmentView(durable.file(), durable.index(), Optional.empty());
    }
  }

  /**
   * Lets the timeline of the only segment begin where the log does, if its beginning is as it was.
   *
   * @param hidden the records between the log start and {@code knownFrom}
   * @return whether it was; if not, somebody tries again
   */
  boolean cutGrowingHead(long seenLogStartOffset, long knownFrom, SegmentTimeline hidden) {
    LogSegment head = segments.get(0);
    SegmentTimeline grown = head.view().timeline().orElse(SegmentTimeline.EMPTY);
    boolean isSame =
        head == active()
            && logStartOffset == seenLogStartOffset
            && grown.knownFrom(seenLogStartOffset) == knownFrom;
    if (isSame) {
      setHeadTimeline(head, grown.startingAt(seenLogStartOffset, knownFrom, hidden));
    }
    return isSame;
  }

  /**
   * Lets the timeline of the first segment begin where the log does, if both are as they were and
   * the segment is no longer appended to.
   *
   * @param seen the segment that was cut
   * @param rest the timeline of its records from the log start on
   * @return whether they were
   */
  boolean replaceHead(SegmentView seen, long seenLogStartOffset, SegmentTimeline rest) {
    LogSegment head = segments.get(0);
    boolean isSame =
        head != active()
            && logStartOffset == seenLogStartOffset
            && head.view().slot() == seen.slot()
            && seen.timeline().isPresent(); // Else it was dropped, as there is no room for it.
    if (isSame) {
      setHeadTimeline(head, rest);
    }
    return isSame;
  }

  /**
   * Returns the segments that are no longer appended to, up to the first with damage. What lies
   * behind damage must stay: a tombstone there may hide a record in it.
   */
  List<LogSegment> soundSealed() {
    List<LogSegment> sound = new ArrayList<>();
    for (int i = 0; i + 1 < segments.size() && isSound(i); i++) {
      sound.add(segments.get(i));
    }
    return sound;
  }

  private boolean isSound(int i) {
    LogSegment segment = segments.get(i);
    long end = segments.get(i + 1).baseOffset();
    return !segment.isEmpty()
        && segment.nextOffset() == end
        && segment.view().index().isWhole()
        && damages.stream().noneMatch(d -> d.range().intersects(segment.baseOffset(), end));
  }

  /** Returns whether consecutive segments are all still part of the log, and not appended to. */
  boolean contains(List<LogSegment> some) {
    return SegmentRuns.isSealedIn(segments, some);
  }

  /** Puts a segment in the place of consecutive ones that it holds the rest of. */
  void replace(List<LogSegment> old, LogSegment by) {
    SegmentRuns.replace(segments, old, by);
    sealed = Optional.empty();
  }

  /** Says that a segment that is not appended to has changed what it shows. */
  void changed() {
    sealed = Optional.empty();
  }

  /** Closes all files for good, also if closing one fails. */
  void retire() throws IOException {
    IOException failure = null;
    for (LogSegment segment : segments) {
      try {
        segment.retire();
      } catch (IOException e) {
        failure = failure == null ? e : failure;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
