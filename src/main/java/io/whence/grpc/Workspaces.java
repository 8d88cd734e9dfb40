package io.whence.grpc;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Workspaces that are used again, a few at the most. Thread safety: thread-safe, without a lock.
 */
final class Workspaces {
  private static final int KEPT = 16;

  private final AtomicReferenceArray<Workspace> kept = new AtomicReferenceArray<>(KEPT);

  /** Returns a workspace that nobody else has. */
  Workspace take() {
    int first = first();
    for (int i = 0; i < KEPT; i++) {
      int slot = (first + i) % KEPT;
      if (kept.get(slot) != null) {
        Workspace taken = kept.getAndSet(slot, null);
        if (taken != null) {
          return taken;
        }
      }
    }
    return new Workspace();
  }

  /** Takes a workspace back that is not used any more. */
  void give(Workspace workspace) {
    if (workspace.clear()) {
      int first = first();
      for (int i = 0; i < KEPT; i++) {
        if (kept.compareAndSet((first + i) % KEPT, null, workspace)) {
          return;
        }
      }
    }
  }

  /** Threads begin at different places, so that they meet seldom. */
  private static int first() {
    return (int) (Thread.currentThread().getId() % KEPT);
  }
}
