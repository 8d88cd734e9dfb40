package io.whence.record;

import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Lets one large batch at a time be decompressed, so that those of many threads don't fill the
 * heap. Invariant: who is let in computes, and waits for nothing, until it leaves. Thread safety:
 * thread-safe.
 */
final class LargeBatches {
  /** For all batches of the process. */
  static final LargeBatches OF_PROCESS = new LargeBatches(16 << 20, Duration.ofMinutes(1));

  private static final long LOOK_MS = 20;

  private final int usualBytes;
  private final Duration limit;
  private final Semaphore room = new Semaphore(1);

  /**
   * Makes it with nobody in.
   *
   * @param usualBytes up to how many bytes a batch is not large, decompressed
   * @param limit how long to wait for another one at most
   */
  LargeBatches(int usualBytes, Duration limit) {
    this.usualBytes = usualBytes;
    this.limit = limit;
  }

  int usualBytes() {
    return usualBytes;
  }

  /**
   * Waits until no other large batch is read.
   *
   * @throws WhenceException {@code OVERLOADED} if that takes too long, or what the cancellation
   *     throws
   */
  void enter(Cancellation cancellation) {
    long untilNanos = System.nanoTime() + limit.toNanos();
    try {
      while (!room.tryAcquire(LOOK_MS, TimeUnit.MILLISECONDS)) {
        cancellation.check();
        if (System.nanoTime() - untilNanos >= 0) {
          throw overloaded("others were read for " + limit.toMillis() + " ms");
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw overloaded("the wait for another one was interrupted");
    }
  }

  /** Lets the next one in. */
  void leave() {
    room.release();
  }

  private WhenceException overloaded(String what) {
    return WhenceException.of(
        ErrorReason.OVERLOADED,
        "a batch takes more than "
            + usualBytes
            + " bytes when it is decompressed, which is done one at a time, and "
            + what
            + "; try again");
  }
}
