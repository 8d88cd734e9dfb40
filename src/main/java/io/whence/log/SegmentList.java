package io.whence.log;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The segments of a log, and what of them is on disk. Invariant: snapshots and the high watermark
 * hold only what is (I1), so nothing that was published is ever cut off. Thread safety:
 * single-writer; the lock of the log guards it.
 */
final class SegmentList {
  private final List<LogSegment> segments;
  private final List<Damage> damages;
  private long logStartOffset;

  /** The part of the active segment that is on disk. */
  private SegmentView durable;

  private boolean broken;

  /** Takes over segments that are on disk. */
  SegmentList(LoadedSegments loaded) {
    this.segments = new ArrayList<>(loaded.segments());
    this.damages = new ArrayList<>(loaded.damages());
    this.logStartOffset = loaded.logStartOffset();
    this.durable = active().view();
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

  /** Returns what is on disk, by base offset. */
  List<SegmentView> views() {
    List<SegmentView> views = new ArrayList<>(segments.size());
    for (int i = 0; i + 1 < segments.size(); i++) {
      views.add(segments.get(i).view());
    }
    views.add(durable);
    return views;
  }

  /** Returns everything that is written, by base offset, on disk or not. */
  List<SegmentView> writtenViews() {
    return segments.stream().map(LogSegment::view).toList();
  }

  LogSnapshot snapshot() {
    return new LogSnapshot(
        views(), logStartOffset, highWatermark(), AbortedTransactions.NONE, damages);
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
    segments.add(next);
    durable = next.view();
  }

  /** Says that what is not on disk must not be appended to. */
  void breakOff() {
    broken = true;
  }

  /** Cuts off what was not on disk when a flush failed (I2). */
  void cutIfBroken() throws IOException {
    if (broken) {
      segments.set(segments.size() - 1, active().cutTo(durable.index()));
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
    damages.removeIf(damage -> damage.range().endOffset() <= newLogStartOffset);
    return below;
  }

  /** Closes all files for good, also if closing one fails. */
  void retire() throws IOException {
    IOException failure = null;
    for (LogSegment segment : segments) {
      try {
        segment.file().retire();
      } catch (IOException e) {
        failure = failure == null ? e : failure;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
