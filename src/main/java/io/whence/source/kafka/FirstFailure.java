package io.whence.source.kafka;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Does all of several things, and fails with the first failure. Thread safety: single-writer. */
final class FirstFailure {
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
      if (first == null) {
        first = e;
      } else {
        first.addSuppressed(e);
      }
    }
  }

  /** Fails if anything has. */
  void throwIfAny() throws IOException {
    if (first instanceof IOException failure) {
      throw failure;
    }
    if (first instanceof RuntimeException failure) {
      throw failure;
    }
  }
}
