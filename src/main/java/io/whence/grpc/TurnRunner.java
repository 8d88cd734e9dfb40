package io.whence.grpc;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;

/**
 * Does work in turns. What needs no file is done on the event loop, whatever the workers have to
 * do; work that takes longer than a slice leaves the loop to others in between, and waits for other
 * such work before it goes on. Thread safety: thread-safe.
 */
final class TurnRunner {
  /** How long work may hold an event loop before others get their turn. */
  private static final long SLICE_NANOS = 250_000;

  private final CallThreads threads;
  private final Map<EventLoop, LongWork> longWork = new ConcurrentHashMap<>();

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
  void run(TurnWork work, TimeSlice slice, TurnWork.Done done, Connection owner) {
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
      case OVER, NEEDS_FILES -> {
        EventLoop loop = threads.currentLoop().get();
        Optional<PendingWork> pending = PendingWork.of(work, done, owner, loop);
        if (turn == TurnWork.Turn.OVER) {
          pending.ifPresent(longWork(loop)::add);
        } else {
          pending.ifPresent(rest -> handOver(rest, () -> {}));
        }
      }
    }
  }

  private LongWork longWork(EventLoop loop) {
    return longWork.computeIfAbsent(loop, key -> new LongWork(this, key));
  }

  /**
   * Has a worker do the rest of work that waits; refuses it if none can, or not before its
   * deadline.
   *
   * @param afterwards is run by the worker when it has done with it
   * @return whether a worker will
   */
  boolean handOver(PendingWork work, Runnable afterwards) {
    long waitNanos = threads.workers().expectedWaitNanos(CallLane.LOOKUPS, work.owner());
    if (waitNanos > Math.max(0, work.remainingNanos())) {
      work.refuse(CallAdmission.TOO_LATE);
      return false;
    }
    try {
      threads
          .workers()
          .execute(
              CallLane.LOOKUPS,
              work.owner(),
              () -> {
                try {
                  work.finish();
                } finally {
                  afterwards.run();
                }
              });
      return true;
    } catch (RejectedExecutionException e) {
      work.refuse(CallAdmission.FULL);
      return false;
    }
  }
}
