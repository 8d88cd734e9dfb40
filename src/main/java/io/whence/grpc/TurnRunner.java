package io.whence.grpc;

import java.util.concurrent.RejectedExecutionException;

/**
 * Does work in turns. What needs no file is done on the event loop, whatever the workers have to
 * do; work that takes longer than a slice leaves the loop to others in between. Thread safety:
 * thread-safe.
 */
final class TurnRunner {
  /** How long work may hold an event loop before others get their turn. */
  private static final long SLICE_NANOS = 250_000;

  private final CallThreads threads;

  TurnRunner(CallThreads threads) {
    this.threads = threads;
  }

  /** Returns a slice that begins now. */
  TimeSlice slice() {
    return new TimeSlice(threads.nanoClock(), SLICE_NANOS);
  }

  /**
   * Does work: on the event loop that calls this, and what needs files on a worker.
   *
   * @param done is told of the end, on the thread where that is
   * @param owner on whose behalf
   */
  void run(TurnWork work, TimeSlice slice, TurnWork.Done done, Object owner) {
    TurnWork.Turn turn;
    try {
      turn = work.goOn(slice);
    } catch (RuntimeException e) {
      done.failed(e);
      return;
    } catch (Error e) {
      done.failed(e);
      throw e;
    }
    switch (turn) {
      case DONE -> done.done();
      // Measured: a worker takes longer to wake up than the loop to come back, and its queue is for
      // those who wait for a disk.
      case OVER -> threads.currentLoop().get().execute(() -> run(work, slice(), done, owner));
      case NEEDS_FILES -> handOver(work, done, owner);
    }
  }

  private void handOver(TurnWork work, TurnWork.Done done, Object owner) {
    try {
      threads.workers().execute(CallLane.LOOKUPS, owner, () -> finish(work, done));
    } catch (RejectedExecutionException e) {
      done.overloaded();
    }
  }

  private static void finish(TurnWork work, TurnWork.Done done) {
    try {
      work.finish();
    } catch (RuntimeException e) {
      done.failed(e);
      return;
    } catch (Error e) {
      done.failed(e);
      throw e;
    }
    done.done();
  }
}
