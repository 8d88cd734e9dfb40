package io.whence.log;

import io.whence.model.Cancellation;
import io.whence.model.OffsetRange;
import io.whence.model.WhenceException;
import io.whence.record.BatchFault;
import io.whence.record.RecordBatch;
import java.util.Optional;

/**
 * Goes through the batches of a segment that is no longer appended to, each checked before it is
 * given. Thread safety: single-writer.
 */
final class SealedBatches {
  private final SegmentView view;
  private final BatchWindow window;
  private final Cancellation cancellation;
  private long position;
  private long end;
  private long previousLastOffset;

  SealedBatches(SegmentView view, Cancellation cancellation) {
    SegmentIndex index = view.index();
    this.view = view;
    this.window = new BatchWindow(view.file(), index.sizeBytes(), index.baseOffset());
    this.cancellation = cancellation;
    this.previousLastOffset = index.baseOffset() - 1;
  }

  /**
   * Moves to the next batch.
   *
   * @return whether there is one
   * @throws WhenceException {@code DAMAGED_LOG} if something else is there
   */
  boolean next() {
    if (end == window.size()) {
      return false;
    }
    cancellation.check();
    position = end;
    Optional<BatchFault> fault = window.moveTo(position, previousLastOffset);
    if (fault.isPresent()) {
      throw damaged(fault.get().expected(), fault.get().found());
    }
    previousLastOffset = window.batch().lastOffset();
    end += window.batch().sizeInBytes();
    return true;
  }

  /** Returns the batch; it changes with the next move. */
  RecordBatch batch() {
    return window.batch();
  }

  /** Returns whether no batch follows. */
  boolean isLast() {
    return end == window.size();
  }

  /** Makes the failure of a batch that is not as it should be. */
  WhenceException damaged(String expected, String found) {
    view.file().foundDamaged(position, expected, found);
    OffsetRange range = new OffsetRange(view.index().baseOffset(), view.index().nextOffset());
    String path = view.file().path().toString();
    return new Damage(range, path, position, expected, found).asFailure();
  }
}
