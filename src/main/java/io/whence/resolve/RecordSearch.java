package io.whence.resolve;

import io.whence.log.BlockCursor;
import io.whence.log.LogSnapshot;
import io.whence.log.RecordVisitor;
import io.whence.model.Cancellation;
import io.whence.model.IsolationLevel;
import io.whence.model.LogBounds;
import io.whence.model.OffsetRange;
import io.whence.model.Origin;
import io.whence.model.RecordStamp;
import io.whence.model.TimeWindow;
import java.util.Optional;

/**
 * The searches that all positions are made of, over the visible records of one snapshot. The block
 * index leads to the blocks that can hold the answer, and only these are read. Damaged parts are
 * passed over here; whoever uses a result says which offsets had to be readable. Thread safety:
 * single-writer; one a question.
 */
final class RecordSearch {
  private final LogSnapshot log;
  private final LogBounds bounds;
  private final IsolationLevel isolation;
  private final BlockCursor blocks;

  RecordSearch(LogSnapshot log, IsolationLevel isolation, Cancellation cancellation) {
    this.log = log;
    this.isolation = isolation;
    this.bounds = log.bounds(isolation);
    this.blocks = log.blocks(isolation, cancellation);
  }

  LogBounds bounds() {
    return bounds;
  }

  Origin origin() {
    return blocks.hasReadFiles() ? Origin.LOG_SCAN : Origin.MEMORY;
  }

  /** Fails if a part of {@code [startOffset, endOffset)} is not known. */
  void requireReadable(long startOffset, long endOffset) {
    requireReadable(startOffset, endOffset, Long.MIN_VALUE);
  }

  /**
   * Fails if a part of {@code [startOffset, endOffset)} is not known.
   *
   * @param fromMs records before this time don't matter, in epoch milliseconds
   */
  void requireReadable(long startOffset, long endOffset, long fromMs) {
    log.requireReadable(
        Math.max(startOffset, bounds.logStartOffset()),
        Math.min(endOffset, bounds.endOffset()),
        fromMs,
        isolation);
  }

  /** Fails if any record is not known. */
  void requireAllReadable() {
    requireReadable(bounds.logStartOffset(), bounds.endOffset());
  }

  /** Returns whether every record of {@code [startOffset, endOffset)} is known. */
  boolean isReadable(long startOffset, long endOffset) {
    return log.isReadable(startOffset, endOffset, isolation);
  }

  /** Finds the first record at or above an offset, with a timestamp or without. */
  Optional<RecordStamp> firstFrom(long startOffset) {
    for (boolean more = blocks.moveToOffset(startOffset); more; more = blocks.moveToNext()) {
      Optional<RecordStamp> hit =
          RecordFinder.first(blocks, (offset, timestampMs) -> offset >= startOffset);
      if (hit.isPresent()) {
        return hit;
      }
    }
    return Optional.empty();
  }

  /** Returns whether it is known that no visible record lies before the one at an offset. */
  boolean isFirst(long offset) {
    if (log.head() != null) {
      return false;
    }
    // A log that was cut in the middle of a block shows it in part; the next one tells then.
    boolean more = blocks.moveToStart();
    for (int tries = 0; more && tries < 2 && blocks.endOffset() <= offset; tries++) {
      if (blocks.isWhollyVisible() && blocks.recordCount() > 0) {
        return false;
      }
      more = blocks.moveToNext();
    }
    return firstFrom(bounds.logStartOffset()).filter(first -> first.offset() < offset).isEmpty();
  }

  /** Finds the first record at or above an offset that is at or after a time of 0 or above. */
  Optional<RecordStamp> firstAtOrAfter(long startOffset, long timestampMs) {
    boolean more = blocks.moveToOffset(startOffset);
    while (more && blocks.seekForward(timestampMs)) {
      Optional<RecordStamp> hit =
          RecordFinder.first(
              blocks, (offset, recordMs) -> offset >= startOffset && recordMs >= timestampMs);
      if (hit.isPresent()) {
        return hit;
      }
      more = blocks.moveToNext();
    }
    return Optional.empty();
  }

  /** Finds the last record that is at or before a time. */
  Optional<RecordStamp> lastAtOrBefore(long timestampMs) {
    boolean more = blocks.moveToEnd();
    while (more && blocks.seekBackward(timestampMs)) {
      Optional<RecordStamp> hit =
          RecordFinder.last(blocks, (offset, recordMs) -> recordMs >= 0 && recordMs <= timestampMs);
      if (hit.isPresent()) {
        return hit;
      }
      more = blocks.moveToPrevious();
    }
    return Optional.empty();
  }

  /** Visits the visible records of a range; reads only blocks whose figures don't suffice. */
  void visit(OffsetRange range, RangeVisitor visitor) {
    RecordVisitor inRange =
        (batch, record) -> {
          if (range.intersects(record.offset(), record.offset() + 1)) {
            visitor.visitRecord(batch, record);
          }
          return true;
        };
    boolean more = blocks.moveToOffset(range.startOffset());
    while (more && blocks.startOffset() < range.endOffset()) {
      if (!isBlockWithin(range) || !visitor.visitBlock(blocks)) {
        blocks.readRecords(inRange);
      }
      more = blocks.moveToNext();
    }
  }

  /** Finds the first record of a window. */
  Optional<RecordStamp> firstIn(TimeWindow window) {
    boolean more = blocks.moveToStart();
    while (more && blocks.seekForward(window)) {
      Optional<RecordStamp> hit =
          RecordFinder.first(blocks, (offset, recordMs) -> window.contains(recordMs));
      if (hit.isPresent()) {
        return hit;
      }
      more = blocks.moveToNext();
    }
    return Optional.empty();
  }

  /** Finds the last record of a window. */
  Optional<RecordStamp> lastIn(TimeWindow window) {
    boolean more = blocks.moveToEnd();
    while (more && blocks.seekBackward(window)) {
      Optional<RecordStamp> hit =
          RecordFinder.last(blocks, (offset, recordMs) -> window.contains(recordMs));
      if (hit.isPresent()) {
        return hit;
      }
      more = blocks.moveToPrevious();
    }
    return Optional.empty();
  }

  /** Finds the record with the largest timestamp, the first of several. */
  Optional<RecordStamp> firstOfLargest() {
    long floorMs = Math.max(largestOfWholeBlocks(), 0) - 1;
    Optional<RecordStamp> best = Optional.empty();
    boolean more = blocks.moveToStart();
    while (more && blocks.seekForward(floorMs)) {
      if (blocks.maxMs() > floorMs) {
        MaximumFinder finder = new MaximumFinder(floorMs);
        blocks.readRecords(finder);
        best = finder.found().isPresent() ? finder.found() : best;
        floorMs = finder.floorMs();
      }
      more = blocks.moveToNext();
    }
    return best;
  }

  /**
   * Returns whether there is a visible record; a timed one, if asked. Reads as little as it can.
   */
  boolean hasRecords(boolean timedOnly) {
    for (boolean more = blocks.moveToStart(); more; more = blocks.moveToNext()) {
      int count = timedOnly ? blocks.timedCount() : blocks.recordCount();
      if (count > 0 && blocks.isWhollyVisible()) {
        return true;
      }
    }
    return timedOnly
        ? firstAtOrAfter(bounds.logStartOffset(), 0).isPresent()
        : firstFrom(bounds.logStartOffset()).isPresent();
  }

  private boolean isBlockWithin(OffsetRange range) {
    return blocks.isWhollyVisible()
        && blocks.startOffset() >= range.startOffset()
        && blocks.endOffset() <= range.endOffset();
  }

  /** Returns the largest timestamp of the blocks that are visible as a whole; negative for none. */
  private long largestOfWholeBlocks() {
    long largest = -1;
    boolean more = blocks.moveToStart();
    while (more && largest < Long.MAX_VALUE && blocks.seekForward(largest + 1)) {
      if (blocks.isWhollyVisible()) {
        largest = blocks.maxMs();
      }
      more = blocks.moveToNext();
    }
    return largest;
  }
}
