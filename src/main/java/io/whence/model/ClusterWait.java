package io.whence.model;

import java.util.Optional;

/**
 * The time in which a thread waits for what another process does. Threads that many calls share are
 * told, so that these can go on meanwhile: a cluster that hangs must not keep the answers of other
 * sources waiting. To be used in a try with resources; may be nested. Thread safety: single-writer.
 */
public final class ClusterWait implements AutoCloseable {
  /** A thread that is told. */
  public interface Waiter {
    /** Says that it does nothing but wait, from now on. */
    void waitBegins();

    /** Says that it goes on. */
    void waitEnds();
  }

  private final Optional<Waiter> waiter;

  @SuppressWarnings("OptionalUsedAsFieldOrParameterType")
  private ClusterWait(Optional<Waiter> waiter) {
    this.waiter = waiter;
  }

  /** Begins to wait. */
  public static ClusterWait begin() {
    Optional<Waiter> waiter =
        Optional.of(Thread.currentThread())
            .filter(Waiter.class::isInstance)
            .map(Waiter.class::cast);
    waiter.ifPresent(Waiter::waitBegins);
    return new ClusterWait(waiter);
  }

  @Override
  public void close() {
    waiter.ifPresent(Waiter::waitEnds);
  }
}
