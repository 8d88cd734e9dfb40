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

  /** The blocks of the segment {@link #blocksOf}: where they are not in memory, got once. */
  private BlockIndex blocks = BlockIndex.NONE;

  private int blocksOf = -1;

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
            ? blocks().floorBlock(from - index().baseOffset())
            : BlockIndex.NO_BLOCK;
    return isVisible() || moveToNext();
  }

  /** Moves to the last block that may hold visible records. */
  public boolean moveToEnd() {
    segment = Math.min(firstSegmentEndingAfter(bounds.endOffset() - 1), log.segmentCount() - 1);
    block =
        segment < 0
            ? BlockIndex.NO_BLOCK
            : blocks().floorBlock(bounds.endOffset() - 1 - index().baseOffset());
    return isVisible() || moveToPrevious();
  }

  /** Moves one block on. */
  public boolean moveToNext() {
    stepForward();
    return isVisible();
  }

  private void stepForward() {
    block++;
    while (segment < log.segmentCount() && block >= index().blocks().blockCount()) {
      segment++;
      block = 0;
    }
  }

  /** Moves one block back. */
  public boolean moveToPrevious() {
    stepBack();
    return isVisible();
  }

  private void stepBack() {
    block--;
    while (segment > 0 && block < 0) {
      segment--;
      block = index().blocks().blockCount() - 1;
    }
  }

  /** What a move looks for. */
  private interface Wanted {
    /** Returns whether a segment with these times may have it. */
    boolean mayBeIn(TimestampHealth times);

    /** Returns the block nearest to one, itself included, that has it. */
    int nearest(BlockIndex blocks, int from);
  }

  /** Stays, or moves on to the next block with a record at or after a time. */
  public boolean seekForward(long timestampMs) {
    return seekForward(
        new Wanted() {
          @Override
          public boolean mayBeIn(TimestampHealth times) {
            return times.maxMs() >= timestampMs;
          }

          @Override
          public int nearest(BlockIndex blocks, int from) {
            return blocks.firstReaching(from, timestampMs);
          }
        });
  }

  /** Stays, or moves back to the previous block with a record at or before a time. */
  public boolean seekBackward(long timestampMs) {
    return seekBackward(
        new Wanted() {
          @Override
          public boolean mayBeIn(TimestampHealth times) {
            return times.minMs() <= timestampMs;
          }

          @Override
          public int nearest(BlockIndex blocks, int from) {
            return blocks.lastReachingDownTo(from, timestampMs);
          }
        });
  }

  /** Stays, or moves on to the next block whose times overlap a window. */
  public boolean seekForward(TimeWindow window) {
    return seekForward(
        new Wanted() {
          @Override
          public boolean mayBeIn(TimestampHealth times) {
            return overlaps(times, window);
          }

          @Override
          public int nearest(BlockIndex blocks, int from) {
            return blocks.firstOverlapping(from, window);
          }
        });
  }

  /** Stays, or moves back to the previous block whose times overlap a window. */
  public boolean seekBackward(TimeWindow window) {
    return seekBackward(
        new Wanted() {
          @Override
          public boolean mayBeIn(TimestampHealth times) {
            return overlaps(times, window);
          }

          @Override
          public int nearest(BlockIndex blocks, int from) {
            return blocks.lastOverlapping(from, window);
          }
        });
  }

  /** Needs the blocks only of segments that may have what is wanted. */
  private boolean seekForward(Wanted wanted) {
    while (isInSegment() && index().baseOffset() < bounds.endOffset()) {
      if (moveTo(wanted)) {
        return isVisible();
      }
      block = index().blocks().blockCount() - 1;
      stepForward();
    }
    return false;
  }

  private boolean seekBackward(Wanted wanted) {
    while (isInSegment() && index().nextOffset() > bounds.logStartOffset()) {
      if (moveTo(wanted)) {
        return isVisible();
      }
      block = 0;
      stepBack();
    }
    return false;
  }

  /** Moves to the block of this segment that is wanted, if there is one. */
  private boolean moveTo(Wanted wanted) {
    int hit =
        wanted.mayBeIn(index().timestamps())
            ? wanted.nearest(blocks(), block)
            : BlockIndex.NO_BLOCK;
    block = hit == BlockIndex.NO_BLOCK ? block : hit;
    return hit != BlockIndex.NO_BLOCK;
  }

  /** Returns the smallest offset that the block may hold. */
  public long startOffset() {
    return index().startOffset(blocks(), block);
  }

  /** Returns the end of the offsets that the block may hold, exclusive. */
  public long endOffset() {
    return index().endOffset(blocks(), block);
  }

  /** Returns whether the figures of the block are those of its visible records. */
  public boolean isWhollyVisible() {
    return startOffset() >= bounds.logStartOffset()
        && endOffset() <= bounds.endOffset()
        && !(committedOnly && blocks().isTransactional(block));
  }

  /** Returns how many data records the block holds, visible or not. */
  public int recordCount() {
    return blocks().recordCount(block);
  }

  /** Returns how many of its data records have a timestamp. */
  public int timedCount() {
    return blocks().timedCount(block);
  }

  /** Returns the smallest timestamp of its data records; above the largest when none has one. */
  public long minMs() {
    return blocks().minMs(block);
  }

  /** Returns the largest timestamp of its data records. */
  public long maxMs() {
    return blocks().maxMs(block);
  }

  /** Returns whether no record of its segment lies before an earlier one of the segment. */
  public boolean isInOrder() {
    return index().timestamps().maxDisorderMs() == 0;
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

  Cancellation cancellation() {
    return cancellation;
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

  /** Returns the blocks of the segment that it is in. */
  BlockIndex blocks() {
    if (blocksOf != segment) {
      blocks = index().blocks().load();
      blocksOf = segment;
    }
    return blocks;
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
    return isInSegment()
        && startOffset() < bounds.endOffset()
        && endOffset() > bounds.logStartOffset();
  }

  private boolean isInSegment() {
    return segment >= 0
        && segment < log.segmentCount()
        && block >= 0
        && block < index().blocks().blockCount();
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
