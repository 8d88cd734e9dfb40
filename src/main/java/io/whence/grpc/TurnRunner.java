package io.whence.grpc;

import java.util.Map;
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
      case OVER -> longWork(threads.currentLoop().get()).add(work, done, owner);
      case NEEDS_FILES -> handOver(work, done, owner);
    }
  }

  private LongWork longWork(EventLoop loop) {
    return longWork.computeIfAbsent(loop, key -> new LongWork(threads, this, key));
  }

  private void handOver(TurnWork work, TurnWork.Done done, Object owner) {
    try {
      threads.workers().execute(CallLane.LOOKUPS, owner, () -> finish(work, done));
    } catch (RejectedExecutionException e) {
      done.overloaded();
    }
  }

  /** Does the rest on a worker, and tells of the end. */
  static void finish(TurnWork work, TurnWork.Done done) {
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
