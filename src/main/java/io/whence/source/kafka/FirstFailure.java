package io.whence.source.kafka;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Does all of several things, and fails with the first failure. Thread safety: thread-safe. */
final class FirstFailure {
  @GuardedBy("this")
  private @Nullable Exception first;

  /** Something that may fail. */
  @FunctionalInterface
  interface Step {
    void run() throws IOException;
  }

  /** Does something, and keeps its failure if it is the first; others hang from that. */
  void keep(Step step) {
    try {
      step.run();
    } catch (IOException | RuntimeException e) {
      add(e);
    }
  }

  private synchronized void add(Exception failure) {
    if (first == null) {
      first = failure;
    } else {
      first.addSuppressed(failure);
    }
  }

  /** Fails if anything has. */
  synchronized void throwIfAny() throws IOException {
    if (first instanceof IOException failure) {
      throw failure;
    }
    if (first instanceof RuntimeException failure) {
      throw failure;
    }
  }
}
