package io.whence.grpc;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * Runs something on an executor, one turn at a time: however often it is asked for meanwhile, one
 * more turn follows, and none is lost. Thread safety: thread-safe.
 */
final class Turns implements Runnable {
  private final Executor executor;
  private final BooleanSupplier turn;

  /** How often a turn was asked for since the one that is taken or waits; 0 if there is none. */
  private final AtomicInteger asks = new AtomicInteger();

  private volatile boolean refused;

  /**
   * Makes turns.
   *
   * @param turn takes one turn; returns whether it needs another one
   */
  Turns(Executor executor, BooleanSupplier turn) {
    this.executor = executor;
    this.turn = turn;
  }

  /** Asks for a turn that begins after this; returns at once. */
  void ask() {
    if (asks.getAndIncrement() == 0) {
      submit();
    }
  }

  /** Returns whether the executor refused the turn that was asked for. */
  boolean isRefused() {
    return refused;
  }

  /** Asks again where the executor refused; one thread does that, from time to time. */
  void retry() {
    if (refused) {
      refused = false;
      submit();
    }
  }

  private void submit() {
    try {
      executor.execute(this);
    } catch (RejectedExecutionException e) {
      refused = true;
    }
  }

  @Override
  public void run() {
    int seen = asks.get();
    boolean more = turn.getAsBoolean();
    if (more || !asks.compareAndSet(seen, 0)) {
      submit();
    }
  }
}
