package io.whence.app;

import java.lang.Thread.UncaughtExceptionHandler;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Makes threads that are named by their role. Thread safety: thread-safe. */
final class NamedThreads implements ThreadFactory {
  private final String role;
  private final @Nullable UncaughtExceptionHandler handler;
  private final AtomicInteger number = new AtomicInteger();

  /** Makes threads that nobody waits for: an error ends the process. */
  NamedThreads(String role) {
    this(role, FatalErrors.HANDLER);
  }

  private NamedThreads(String role, @Nullable UncaughtExceptionHandler handler) {
    this.role = role;
    this.handler = handler;
  }

  /** Makes threads that answer calls: what fails there fails one call, which is told of it. */
  static NamedThreads ofCalls(String role) {
    return new NamedThreads(role, null);
  }

  @Override
  public Thread newThread(Runnable task) {
    Thread thread = new Thread(task, role + "-" + number.incrementAndGet());
    thread.setUncaughtExceptionHandler(handler);
    return thread;
  }
}
