package io.whence.grpc;

import io.whence.grpc.TurnWork.Turn;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The work of one event loop that takes more than one slice. One piece after the other has the
 * loop, by connections in turn, and others have it between the slices. A piece that needs files
 * goes on to a worker; {@value #MAX_AT_WORKERS} are there at the most, {@value
 * #MAX_AT_WORKERS_OF_ONE} of one connection. Where there is no room it gives back what it works
 * with and waits, by connections in turn, to be done by a worker from its beginning. So one piece
 * on the loop and these at the workers have memory for large answers, and no piece that memory can
 * answer ever waits for a disk. What waits holds its request, which {@link HeldRequests} counts,
 * and a small answer if it began one. Thread safety: thread-safe.
 */
final class LongWork {
  /** Of all connections together. */
  static final int MAX_AT_WORKERS = 4;

  /** Of one connection. */
  static final int MAX_AT_WORKERS_OF_ONE = 2;

  private final TurnRunner runner;
  private final EventLoop loop;

  // Of the event loop alone.
  private final WaitingByOwner forLoop = new WaitingByOwner();
  private final WaitingByOwner forWorkers = new WaitingByOwner();
  private final Map<Connection, Integer> atWorkers = new IdentityHashMap<>();
  private int allAtWorkers;
  private boolean loopIsTaken;

  LongWork(TurnRunner runner, EventLoop loop) {
    this.runner = runner;
    this.loop = loop;
  }

  /** Goes on with work when its turn has come. */
  void add(PendingWork work) {
    onLoop(
        () -> {
          work.endAtDeadline(loop);
          forLoop.add(work);
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
    if (!loopIsTaken) {
      // Taking one may end others, and that may add some.
      loopIsTaken = true;
      Optional<PendingWork> next = forLoop.take(owner -> true);
      loopIsTaken = next.isPresent();
      // Measured: a worker takes longer to wake up than the loop to come back, and its queue is for
      // those who wait for a disk.
      next.ifPresent(work -> loop.execute(() -> goOn(work)));
    }
  }

  private void goOn(PendingWork work) {
    Turn turn;
    try {
      turn = work.goOn(runner.slice());
    } catch (RuntimeException e) {
      leaveLoop(() -> work.fail(e));
      return;
    } catch (Error e) {
      leaveLoop(() -> work.fail(e));
      throw e;
    }
    switch (turn) {
      case DONE -> leaveLoop(work::succeed);
      case OVER -> loop.execute(() -> goOn(work));
      case NEEDS_FILES -> leaveLoop(() -> needsFiles(work));
    }
  }

  /** Lets the next piece have the loop, whatever becomes of telling the end of this one. */
  private void leaveLoop(Runnable end) {
    try {
      end.run();
    } finally {
      loopIsTaken = false;
      beginNext();
    }
  }

  private void needsFiles(PendingWork work) {
    if (hasRoom(work.owner())) {
      handOver(work);
    } else {
      work.startOver();
      if (work.putBack()) {
        forWorkers.add(work);
      }
    }
  }

  private boolean hasRoom(Connection owner) {
    return allAtWorkers < MAX_AT_WORKERS
        && atWorkers.getOrDefault(owner, 0) < MAX_AT_WORKERS_OF_ONE;
  }

  private void handOver(PendingWork work) {
    if (!work.putBack()) {
      return;
    }
    Connection owner = work.owner();
    allAtWorkers++;
    atWorkers.merge(owner, 1, Integer::sum);
    if (!runner.handOver(work, () -> onLoop(() -> leftWorkers(owner)))) {
      forget(owner);
    }
  }

  private void leftWorkers(Connection owner) {
    forget(owner);
    Optional<PendingWork> next = forWorkers.take(this::hasRoom);
    while (next.isPresent()) {
      handOver(next.get());
      next = forWorkers.take(this::hasRoom);
    }
  }

  private void forget(Connection owner) {
    allAtWorkers--;
    atWorkers.computeIfPresent(owner, (key, count) -> count == 1 ? null : count - 1);
  }
}
