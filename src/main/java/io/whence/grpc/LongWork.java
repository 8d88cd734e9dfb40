package io.whence.grpc;

import io.whence.grpc.TurnWork.Turn;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;

/**
 * The work of one event loop that takes more than one slice. One piece after the other is done, by
 * connections in turn, and others have the loop between its slices. What waits here holds no memory
 * to answer in yet, so that memory follows what is open, {@value #MAX_OPEN} pieces at the most, and
 * not how much was asked. Thread safety: thread-safe.
 */
final class LongWork {
  /** One is on the loop; the others have gone on to workers. */
  static final int MAX_OPEN = 4;

  private final CallThreads threads;
  private final TurnRunner runner;
  private final EventLoop loop;

  // Of the event loop alone.
  private final Map<Object, Queue<Piece>> waiting = new LinkedHashMap<>();
  private int open;
  private boolean loopIsTaken;

  LongWork(CallThreads threads, TurnRunner runner, EventLoop loop) {
    this.threads = threads;
    this.runner = runner;
    this.loop = loop;
  }

  /** Goes on with work when its turn has come. */
  void add(TurnWork work, TurnWork.Done done, Object owner) {
    onLoop(
        () -> {
          waiting
              .computeIfAbsent(owner, key -> new ArrayDeque<>())
              .add(new Piece(work, done, owner));
          beginNext();
        });
  }

  private void onLoop(Runnable task) {
    if (loop.isCurrent()) {
      task.run();
    } else {
      loop.execute(task);
    }
  }

  private void beginNext() {
    if (!loopIsTaken && open < MAX_OPEN && !waiting.isEmpty()) {
      loopIsTaken = true;
      open++;
      Piece next = next();
      // Measured: a worker takes longer to wake up than the loop to come back, and its queue is for
      // those who wait for a disk.
      loop.execute(() -> goOn(next));
    }
  }

  /** Takes the next piece; its connection goes behind the others. */
  private Piece next() {
    Map.Entry<Object, Queue<Piece>> first = waiting.entrySet().iterator().next();
    Piece next = first.getValue().remove();
    waiting.remove(first.getKey());
    if (!first.getValue().isEmpty()) {
      waiting.put(first.getKey(), first.getValue());
    }
    return next;
  }

  private void goOn(Piece piece) {
    Turn turn;
    try {
      turn = piece.work().goOn(runner.slice());
    } catch (RuntimeException e) {
      leaveLoop(() -> piece.done().failed(e), true);
      return;
    } catch (Error e) {
      leaveLoop(() -> piece.done().failed(e), true);
      throw e;
    }
    switch (turn) {
      case DONE -> leaveLoop(() -> piece.done().done(), true);
      case OVER -> loop.execute(() -> goOn(piece));
      case NEEDS_FILES -> handOver(piece);
    }
  }

  private void handOver(Piece piece) {
    try {
      threads.workers().execute(CallLane.LOOKUPS, piece.owner(), () -> finish(piece));
    } catch (RejectedExecutionException e) {
      leaveLoop(() -> piece.done().overloaded(), true);
      return;
    }
    leaveLoop(() -> {}, false);
  }

  private void finish(Piece piece) {
    try {
      TurnRunner.finish(piece.work(), piece.done());
    } finally {
      onLoop(
          () -> {
            open--;
            beginNext();
          });
    }
  }

  /** Lets the next piece have the loop, whatever becomes of telling the end of this one. */
  private void leaveLoop(Runnable end, boolean isClosed) {
    try {
      end.run();
    } finally {
      loopIsTaken = false;
      if (isClosed) {
        open--;
      }
      beginNext();
    }
  }

  /**
   * Work that waits or is open.
   *
   * @param work what is done
   * @param done is told of its end
   * @param owner on whose behalf
   */
  private record Piece(TurnWork work, TurnWork.Done done, Object owner) {}
}
