package io.whence.record;

import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Lets one large batch at a time be decompressed, first come, first served, so that those of many
 * threads don't fill the heap. Invariant: who is let in computes, and waits for nothing, until it
 * leaves; so every wait ends. Thread safety: thread-safe.
 */
final class LargeBatches {
  /** For all batches of the process. */
  static final LargeBatches OF_PROCESS = new LargeBatches(16 << 20);

  private final int usualBytes;
  private final Semaphore room = new Semaphore(1, true);

  /**
   * Makes it with nobody in.
   *
   * @param usualBytes up to how many bytes a batch is not large, decompressed
   */
  LargeBatches(int usualBytes) {
    this.usualBytes = usualBytes;
  }

  int usualBytes() {
    return usualBytes;
  }

  /**
   * Waits until no other large batch is read, for as long as somebody waits for this one.
   *
   * @throws WhenceException {@code DEADLINE_EXCEEDED} if nobody does any more, {@code DRAINING} if
   *     the thread is interrupted
   */
  void enter(Cancellation cancellation) {
    try {
      if (!room.tryAcquire(cancellation.remainingNanos(), TimeUnit.NANOSECONDS)) {
        throw WhenceException.of(
            ErrorReason.DEADLINE_EXCEEDED,
            "the deadline passed while other batches of more than "
                + usualBytes
                + " bytes were decompressed, which is done one at a time");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw WhenceException.of(ErrorReason.DRAINING, "the server stops");
    }
    try {
      cancellation.check();
    } catch (RuntimeException e) {
      leave();
      throw e;
    }
  }

  /** Returns how many wait, about. */
  int waiting() {
    return room.getQueueLength();
  }

  /** Lets the next one in. */
  void leave() {
    room.release();
  }
}
