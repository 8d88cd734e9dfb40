package io.whence.model;

import org.jspecify.annotations.Nullable;

/**
 * The time in which a thread waits for what another process does. Threads that many calls share say
 * who is to be told, so that other calls can go on meanwhile: a cluster that hangs must not keep
 * the answers of other sources waiting. To be used in a try with resources; may be nested. Thread
 * safety: single-writer.
 */
public final class ClusterWait implements AutoCloseable {
  /** Who is told of the waits of this thread; nobody while it waits. */
  private static final ThreadLocal<Waiter> WAITER = new ThreadLocal<>();

  /** Is told, by the thread that waits. */
  public interface Waiter {
    /**
     * Says that the thread does nothing but wait, from now on.
     *
     * @throws WhenceException {@code OVERLOADED} if too many wait already; then it does not wait
     */
    void waitBegins();

    /** Says that it goes on. */
    void waitEnds();
  }

  private final @Nullable Waiter waiter;

  private ClusterWait(@Nullable Waiter waiter) {
    this.waiter = waiter;
  }

  /** Runs a task, of whose waits somebody is told. */
  public static void run(Runnable task, Waiter waiter) {
    WAITER.set(waiter);
    try {
      task.run();
    } finally {
      WAITER.remove();
    }
  }

  /**
   * Begins to wait; before anything is asked for.
   *
   * @throws WhenceException {@code OVERLOADED} on a thread that calls share, if too many of these
   *     wait already
   */
  public static ClusterWait begin() {
    Waiter waiter = WAITER.get();
    if (waiter != null) {
      waiter.waitBegins();
      WAITER.remove();
    }
    return new ClusterWait(waiter);
  }

  @Override
  public void close() {
    if (waiter != null) {
      WAITER.set(waiter);
      waiter.waitEnds();
    }
  }
}
