package io.whence.grpc;

import io.whence.model.WhenceException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Work that its first slice did not end. From then on it waits or is taken, by one thread at a
 * time, until its end, which is told once; so long its request counts as held. While it waits it
 * ends as soon as nobody wants it any more, and lets go of all it has, though a queue may still
 * have this. Thread safety: thread-safe.
 */
final class PendingWork {
  private enum State {
    WAITS,
    TAKEN,
    ENDED
  }

  private final CallCancellation cancellation;
  private final Connection owner;
  private final long bytes;
  private final AtomicReference<State> state = new AtomicReference<>(State.WAITS);
  private volatile @Nullable Task task;
  private volatile Runnable stopListening = () -> {};
  private volatile Runnable stopTimer = () -> {};

  private PendingWork(TurnWork work, TurnWork.Done done, Connection owner, long bytes) {
    this.cancellation = work.cancellation();
    this.owner = owner;
    this.bytes = bytes;
    task = new Task(work, done);
  }

  /**
   * Makes work that waits, or refuses it if such requests take too much memory.
   *
   * @param done is told of the end, on the thread where that is
   * @param owner on whose behalf
   * @param loop where it ends if it is given up while it waits
   */
  static Optional<PendingWork> of(
      TurnWork work, TurnWork.Done done, Connection owner, EventLoop loop) {
    long bytes = work.requestBytes();
    Optional<String> refusal = owner.held().enter(bytes);
    if (refusal.isPresent()) {
      done.refused(refusal.get());
      return Optional.empty();
    }
    PendingWork pending = new PendingWork(work, done, owner, bytes);
    pending.stopListening = work.cancellation().whenGivenUp(pending::endIfGivenUp, loop);
    return Optional.of(pending);
  }

  /** Ends the work when its deadline passes while it waits; on the loop, before it is taken. */
  void endAtDeadline(EventLoop loop) {
    stopTimer =
        loop.schedule(() -> drop(CallCancellation.deadlinePassed()), cancellation.remaining());
  }

  /** Returns on whose behalf this is. */
  Connection owner() {
    return owner;
  }

  /** Returns how many nanoseconds are left; 0 or less once the deadline passed. */
  long remainingNanos() {
    return cancellation.remainingNanos();
  }

  /** Takes the work, if it waits and is still wanted; who does has it to himself. */
  boolean take() {
    endIfGivenUp();
    return state.compareAndSet(State.WAITS, State.TAKEN);
  }

  /** Lets taken work wait again; returns whether it does, and has not been given up. */
  boolean putBack() {
    state.set(State.WAITS);
    endIfGivenUp(); // Nobody has looked while it was taken.
    return state.get() != State.ENDED;
  }

  private void endIfGivenUp() {
    if (state.get() == State.WAITS) {
      try {
        cancellation.check();
      } catch (WhenceException e) {
        drop(e);
      }
    }
  }

  private void drop(WhenceException failure) {
    if (state.compareAndSet(State.WAITS, State.TAKEN)) {
      end(done -> done.failed(failure));
    }
  }

  /** Refuses work that waits, if it still does. */
  void refuse(String reason) {
    if (state.compareAndSet(State.WAITS, State.TAKEN)) {
      end(done -> done.refused(reason));
    }
  }

  /** Goes on with taken work on the event loop. */
  TurnWork.Turn goOn(TimeSlice slice) {
    return work().goOn(slice);
  }

  /** Lets taken work give back what it works with. */
  void startOver() {
    work().startOver();
  }

  /** Takes the work on a worker, does the rest, and tells of the end; does nothing if it ended. */
  void finish() {
    if (!take()) {
      return;
    }
    try {
      work().finish();
    } catch (RuntimeException e) {
      fail(e);
      return;
    } catch (Error e) {
      fail(e);
      throw e;
    }
    end(TurnWork.Done::done);
  }

  /** Tells that taken work failed. */
  void fail(Throwable failure) {
    end(done -> done.failed(failure));
  }

  /** Tells that taken work is done. */
  void succeed() {
    end(TurnWork.Done::done);
  }

  private void end(Consumer<TurnWork.Done> told) {
    TurnWork.Done done = task().done();
    task = null;
    state.set(State.ENDED);
    stopListening.run();
    stopTimer.run();
    owner.held().leave(bytes);
    told.accept(done);
  }

  private TurnWork work() {
    return task().work();
  }

  private Task task() {
    Task present = task;
    if (present == null) {
      throw new IllegalStateException("the work has ended");
    }
    return present;
  }

  /**
   * What is lost at the end.
   *
   * @param work what is done
   * @param done is told of the end
   */
  private record Task(TurnWork work, TurnWork.Done done) {}
}
