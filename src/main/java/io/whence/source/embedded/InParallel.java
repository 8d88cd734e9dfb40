package io.whence.source.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Does the same to many things on several threads, since most of the time goes to waiting. Thread
 * safety: thread-safe.
 */
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
   * @throws IOException the first failure, with the others suppressed; it may also be unchecked
   */
  static <T> void forEach(List<T> items, Executor executor, Task<T> task) throws IOException {
    List<CompletableFuture<Void>> running = new ArrayList<>(items.size());
    for (T item : items) {
      running.add(start(item, executor, task));
    }
    List<Exception> failures = new ArrayList<>();
    for (CompletableFuture<Void> one : running) {
      try {
        one.join();
      } catch (CompletionException e) {
        failures.add(causeOf(e));
      }
    }
    throwFirst(failures);
  }

  private static <T> CompletableFuture<Void> start(T item, Executor executor, Task<T> task) {
    try {
      return CompletableFuture.runAsync(() -> run(item, task), executor);
    } catch (RejectedExecutionException e) {
      return CompletableFuture.failedFuture(
          e); // Those that have begun are waited for all the same.
    }
  }

  private static <T> void run(T item, Task<T> task) {
    try {
      task.run(item);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Exception causeOf(CompletionException e) {
    if (e.getCause() instanceof UncheckedIOException failure && failure.getCause() != null) {
      return failure.getCause();
    }
    return e.getCause() instanceof RuntimeException fault ? fault : e;
  }

  private static void throwFirst(List<Exception> failures) throws IOException {
    if (failures.isEmpty()) {
      return;
    }
    Exception first = failures.get(0);
    failures.stream().skip(1).filter(other -> other != first).forEach(first::addSuppressed);
    if (first instanceof IOException failure) {
      throw failure;
    }
    throw first instanceof RuntimeException fault ? fault : new IllegalStateException(first);
  }
}
