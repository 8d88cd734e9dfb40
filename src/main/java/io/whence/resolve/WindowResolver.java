package io.whence.resolve;

import io.whence.log.BlockCursor;
import io.whence.model.OffsetRange;
import io.whence.model.Outcome;
import io.whence.model.RecordStamp;
import io.whence.model.TimeWindow;
import io.whence.model.WindowResolution;
import io.whence.record.RecordBatch;
import io.whence.record.RecordCursor;
import java.util.Optional;

/** Answers windows. Thread safety: single-writer; one a question. */
final class WindowResolver implements RangeVisitor {
  private final RecordSearch search;
  private final TimeWindow window;
  private final long logStartOffset;
  private long recordCount;
  private long outsideCount;

  WindowResolver(RecordSearch search, TimeWindow window) {
    this.search = search;
    // Records without a timestamp have negative ones, and are in no window.
    this.window = new TimeWindow(Math.max(window.fromMs(), 0), Math.max(window.toMs(), 0));
    this.logStartOffset = search.bounds().logStartOffset();
  }

  WindowResolution resolve() {
    // A record of the window could lie in any part that can't be read.
    search.requireReadable(logStartOffset, search.bounds().endOffset(), window.fromMs());
    Optional<RecordStamp> first = search.firstIn(window);
    if (first.isEmpty()) {
      return nothing();
    }
    RecordStamp last = search.lastIn(window).orElseThrow();
    OffsetRange range = new OffsetRange(first.get().offset(), last.offset() + 1);
    search.visit(range, this);
    boolean startCut = logStartOffset > 0 && search.isFirst(range.startOffset());
    return new WindowResolution(
        Outcome.FOUND,
        range,
        recordCount,
        outsideCount,
        first.get(),
        last,
        search.bounds(),
        startCut,
        search.origin());
  }

  /** Counts a block from the figures that are in memory, if they suffice. */
  @Override
  public boolean visitBlock(BlockCursor block) {
    boolean outside =
        block.timedCount() == 0
            || block.maxMs() < window.fromMs()
            || block.minMs() >= window.toMs();
    boolean inside = !outside && block.minMs() >= window.fromMs() && block.maxMs() < window.toMs();
    if (!outside && !inside) {
      return false;
    }
    recordCount += block.recordCount();
    outsideCount += block.recordCount() - (inside ? block.timedCount() : 0);
    return true;
  }

  @Override
  public void visitRecord(RecordBatch batch, RecordCursor record) {
    recordCount++;
    outsideCount += window.contains(record.timestampMs()) ? 0 : 1;
  }

  private WindowResolution nothing() {
    Outcome outcome = outcomeOfNothing();
    boolean startCut =
        logStartOffset > 0 && outcome != Outcome.AFTER_END && outcome != Outcome.NONE_IN_WINDOW;
    return new WindowResolution(
        outcome, null, 0, 0, null, null, search.bounds(), startCut, search.origin());
  }

  private Outcome outcomeOfNothing() {
    if (!search.hasRecords(true)) {
      search.requireAllReadable();
      return search.hasRecords(false) ? Outcome.NO_TIMESTAMP : Outcome.EMPTY;
    }
    if (search.firstAtOrAfter(logStartOffset, window.fromMs()).isEmpty()) {
      return Outcome.AFTER_END;
    }
    boolean noneBefore = window.toMs() == 0 || search.lastAtOrBefore(window.toMs() - 1).isEmpty();
    if (noneBefore) {
      search.requireAllReadable();
    }
    return noneBefore ? Outcome.BEFORE_START : Outcome.NONE_IN_WINDOW;
  }
}
