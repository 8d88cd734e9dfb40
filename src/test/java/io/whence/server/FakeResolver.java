package io.whence.server;

import io.whence.grpc.LogLookups;
import io.whence.grpc.PartitionResolver;
import io.whence.log.LogSnapshot;
import io.whence.model.Cancellation;
import io.whence.model.IsolationLevel;
import io.whence.model.OffsetResolution;
import io.whence.model.Position;
import io.whence.model.Resolution;
import io.whence.model.TimeWindow;
import io.whence.model.WindowResolution;
import io.whence.resolve.PositionAnswer;
import jakarta.enterprise.inject.Alternative;
import jakarta.inject.Singleton;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The real resolver, but lookups in topic "gate" wait for the gate to open. */
@Alternative
@Singleton
class FakeResolver implements PartitionResolver {
  /** Lookups in it wait. */
  static final String GATE = "gate";

  final Gate gate = new Gate();
  final AtomicInteger waiting = new AtomicInteger();
  final AtomicInteger stopped = new AtomicInteger();
  private final LogLookups real = new LogLookups();

  @Override
  public Resolution resolveFromLog(
      LogSnapshot log, Position position, IsolationLevel isolation, Cancellation cancellation) {
    if (FakeSource.isGated(log)) {
      await(cancellation);
    }
    return real.resolveFromLog(log, position, isolation, cancellation);
  }

  @Override
  public boolean resolveFromMemory(
      LogSnapshot log, Position position, IsolationLevel isolation, PositionAnswer answer) {
    return !FakeSource.isGated(log) && real.resolveFromMemory(log, position, isolation, answer);
  }

  private void await(Cancellation cancellation) {
    waiting.incrementAndGet();
    try {
      while (!gate.isOpen(5)) {
        cancellation.check();
      }
    } catch (RuntimeException e) {
      stopped.incrementAndGet();
      throw e;
    } finally {
      waiting.decrementAndGet();
    }
  }

  @Override
  public WindowResolution resolveWindow(
      LogSnapshot log, TimeWindow window, IsolationLevel isolation, Cancellation cancellation) {
    return real.resolveWindow(log, window, isolation, cancellation);
  }

  @Override
  public OffsetResolution resolveOffset(
      LogSnapshot log, long offset, IsolationLevel isolation, Cancellation cancellation) {
    return real.resolveOffset(log, offset, isolation, cancellation);
  }

  /** Opens and closes. Thread safety: thread-safe. */
  static final class Gate {
    private boolean open;

    synchronized void open() {
      open = true;
      notifyAll();
    }

    synchronized void close() {
      open = false;
    }

    synchronized boolean isOpen(long patienceMs) {
      if (!open) {
        try {
          TimeUnit.MILLISECONDS.timedWait(this, patienceMs);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new IllegalStateException(e);
        }
      }
      return open;
    }
  }
}
