package io.whence.source.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;

/** Does the same to many things on several threads, since most of the time goes to waiting. */
final class InParallel {
  private InParallel() {}

  /** What is done to each. */
  @FunctionalInterface
  interface Task<T> {
    void run(T item) throws IOException;
  }

  /**
   * Does something to all items, also when one fails, and returns when all are done.
   *
   * @throws IOException the first failure, with the others suppressed
   */
  static <T> void forEach(List<T> items, Executor executor, Task<T> task) throws IOException {
    List<CompletableFuture<Void>> running = new ArrayList<>(items.size());
    for (T item : items) {
      running.add(CompletableFuture.runAsync(() -> run(item, task), executor));
    }
    IOException first = null;
    for (CompletableFuture<Void> one : running) {
      try {
        one.join();
      } catch (CompletionException e) {
        IOException failure = causeOf(e);
        if (first == null) {
          first = failure;
        } else {
          first.addSuppressed(failure);
        }
      }
    }
    if (first != null) {
      throw first;
    }
  }

  private static <T> void run(T item, Task<T> task) {
    try {
      task.run(item);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static IOException causeOf(CompletionException e) {
    if (e.getCause() instanceof UncheckedIOException failure && failure.getCause() != null) {
      return failure.getCause();
    }
    if (e.getCause() instanceof RuntimeException fault) {
      throw fault;
    }
    throw e;
  }
}
