package io.whence.log;

import io.whence.model.Cancellation;
import io.whence.model.IsolationLevel;
import io.whence.model.LogBounds;
import io.whence.model.TimeWindow;
import io.whence.record.RecordBatch;

/**
 * Walks the blocks of a snapshot that may hold visible records, from block to block or straight to
 * the next one whose times qualify, and reads the visible records of the block that it is at. Moves
 * answer whether there is such a block; after a {@code false} only another absolute move makes
 * sense. Thread safety: single-writer.
 */
public final class BlockCursor {
  private final LogSnapshot log;
  private final LogBounds bounds;
  private final boolean committedOnly;
  private final Cancellation cancellation;

  private int segment;
  private int block = BlockIndex.NO_BLOCK;
  private boolean hasReadFiles;

  BlockCursor(LogSnapshot log, IsolationLevel isolation, Cancellation cancellation) {
    this.log = log;
    this.bounds = log.bounds(isolation);
    this.committedOnly = isolation == IsolationLevel.READ_COMMITTED;
    this.cancellation = cancellation;
  }

  /** Returns whether records were read from files; otherwise all that it told came from memory. */
  public boolean hasReadFiles() {
    return hasReadFiles;
  }

  /** Moves to the first block that may hold visible records. */
  public boolean moveToStart() {
    return moveToOffset(bounds.logStartOffset());
  }

  /** Moves to the block that may hold an offset, or to the first one after it. */
  public boolean moveToOffset(long offset) {
    long from = Math.max(offset, bounds.logStartOffset());
    segment = firstSegmentEndingAfter(from);
    block =
        segment < log.segmentCount()
            ? index().blocks().floorBlock(from - index().baseOffset())
            : BlockIndex.NO_BLOCK;
    return isVisible() || moveToNext();
  }

  /** Moves to the last block that may hold visible records. */
  public boolean moveToEnd() {
    segment = Math.min(firstSegmentEndingAfter(bounds.endOffset() - 1), log.segmentCount() - 1);
    block =
        segment < 0
            ? BlockIndex.NO_BLOCK
            : index().blocks().floorBlock(bounds.endOffset() - 1 - index().baseOffset());
    return isVisible() || moveToPrevious();
  }

  /** Moves one block on. */
  public boolean moveToNext() {
    block++;
    while (segment < log.segmentCount() && block >= index().blocks().blockCount()) {
      segment++;
      block = 0;
    }
    return isVisible();
  }

  /** Moves one block back. */
  public boolean moveToPrevious() {
    block--;
    while (segment > 0 && block < 0) {
      segment--;
      block = index().blocks().blockCount() - 1;
    }
    return isVisible();
  }

  /** Stays, or moves on to the next block with a record at or after a time. */
  public boolean seekForward(long timestampMs) {
    while (isVisible()) {
      int hit =
          index().timestamps().maxMs() < timestampMs
              ? BlockIndex.NO_BLOCK
              : index().blocks().firstReaching(block, timestampMs);
      if (hit != BlockIndex.NO_BLOCK) {
        block = hit;
        return isVisible();
      }
      leaveSegmentForward();
    }
    return false;
  }

  /** Stays, or moves back to the previous block with a record at or before a time. */
  public boolean seekBackward(long timestampMs) {
    while (isVisible()) {
      int hit =
          index().timestamps().minMs() > timestampMs
              ? BlockIndex.NO_BLOCK
              : index().blocks().lastReachingDownTo(block, timestampMs);
      if (hit != BlockIndex.NO_BLOCK) {
        block = hit;
        return isVisible();
      }
      leaveSegmentBackward();
    }
    return false;
  }

  /** Stays, or moves on to the next block whose times overlap a window. */
  public boolean seekForward(TimeWindow window) {
    while (isVisible()) {
      int hit =
          overlaps(index().timestamps(), window)
              ? index().blocks().firstOverlapping(block, window)
              : BlockIndex.NO_BLOCK;
      if (hit != BlockIndex.NO_BLOCK) {
        block = hit;
        return isVisible();
      }
      leaveSegmentForward();
    }
    return false;
  }

  /** Stays, or moves back to the previous block whose times overlap a window. */
  public boolean seekBackward(TimeWindow window) {
    while (isVisible()) {
      int hit =
          overlaps(index().timestamps(), window)
              ? index().blocks().lastOverlapping(block, window)
              : BlockIndex.NO_BLOCK;
      if (hit != BlockIndex.NO_BLOCK) {
        block = hit;
        return isVisible();
      }
      leaveSegmentBackward();
    }
    return false;
  }

  /** Returns the smallest offset that the block may hold. */
  public long startOffset() {
    return index().startOffset(block);
  }

  /** Returns the end of the offsets that the block may hold, exclusive. */
  public long endOffset() {
    return index().endOffset(block);
  }

  /** Returns whether the figures of the block are those of its visible records. */
  public boolean isWhollyVisible() {
    return startOffset() >= bounds.logStartOffset()
        && endOffset() <= bounds.endOffset()
        && !(committedOnly && index().blocks().isTransactional(block));
  }

  /** Returns how many data records the block holds, visible or not. */
  public int recordCount() {
    return index().blocks().recordCount(block);
  }

  /** Returns how many of its data records have a timestamp. */
  public int timedCount() {
    return index().blocks().timedCount(block);
  }

  /** Returns the smallest timestamp of its data records; above the largest when none has one. */
  public long minMs() {
    return index().blocks().minMs(block);
  }

  /** Returns the largest timestamp of its data records. */
  public long maxMs() {
    return index().blocks().maxMs(block);
  }

  /** Reads the visible records of the block, by offset. */
  public void readRecords(RecordVisitor visitor) {
    cancellation.check();
    if (recordCount() == 0) {
      return;
    }
    hasReadFiles = true;
    BlockReader.current().read(this, visitor);
  }

  LogSnapshot log() {
    return log;
  }

  SegmentView view() {
    return log.segment(segment);
  }

  int block() {
    return block;
  }

  boolean isVisible(long offset) {
    return offset >= bounds.logStartOffset() && offset < bounds.endOffset();
  }

  boolean isHidden(RecordBatch batch) {
    return batch.isControl() || (committedOnly && log.isAborted(batch));
  }

  private SegmentIndex index() {
    return log.segment(segment).index();
  }

  private boolean isVisible() {
    return segment >= 0
        && segment < log.segmentCount()
        && block >= 0
        && block < index().blocks().blockCount()
        && startOffset() < bounds.endOffset()
        && endOffset() > bounds.logStartOffset();
  }

  private void leaveSegmentForward() {
    block = index().blocks().blockCount() - 1;
    moveToNext();
  }

  private void leaveSegmentBackward() {
    block = 0;
    moveToPrevious();
  }

  private int firstSegmentEndingAfter(long offset) {
    int low = 0;
    int high = log.segmentCount();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (log.segment(middle).index().nextOffset() <= offset) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private static boolean overlaps(TimestampHealth times, TimeWindow window) {
    return times.minMs() < window.toMs() && times.maxMs() >= window.fromMs();
  }
}
