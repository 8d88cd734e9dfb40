package io.whence.app;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Makes threads that are named by their role, and that nobody waits for: an error ends the process.
 * Thread safety: thread-safe.
 */
final class NamedThreads implements ThreadFactory {
  private final String role;
  private final AtomicInteger number = new AtomicInteger();

  NamedThreads(String role) {
    this.role = role;
  }

  @Override
  public Thread newThread(Runnable task) {
    Thread thread = new Thread(task, role + "-" + number.incrementAndGet());
    thread.setUncaughtExceptionHandler(FatalErrors.HANDLER);
    return thread;
  }
}
