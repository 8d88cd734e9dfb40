package io.whence.app;

import io.quarkus.runtime.LaunchMode;
import java.lang.Thread.UncaughtExceptionHandler;
import org.jboss.logging.Logger;

/**
 * What becomes of what nobody caught in the background. After an error, such as too little memory
 * or a class that can't be loaded, nobody knows what still works: the process ends at once, as with
 * {@code -XX:+ExitOnOutOfMemoryError}, and whoever watches over it starts it again. Better an end
 * that is seen than a server in which something has silently stopped. Thread safety: immutable.
 */
final class FatalErrors implements UncaughtExceptionHandler {
  /** As that of the JVM where memory has run out. */
  static final int EXIT_CODE = 3;

  static final FatalErrors HANDLER = new FatalErrors();

  private static final Logger LOG = Logger.getLogger("io.whence");

  private FatalErrors() {}

  /** Ends the process after an error; in tests of Quarkus, only tells of it. */
  @Override
  public void uncaughtException(Thread thread, Throwable failure) {
    if (!(failure instanceof Error)) {
      LOG.errorf(failure, "a thread ended by a failure: thread=%s", thread.getName());
      return;
    }
    try {
      LOG.fatalf(failure, "the process ends, as this can't go on: thread=%s", thread.getName());
    } finally {
      if (LaunchMode.current() == LaunchMode.NORMAL) {
        Runtime.getRuntime().halt(EXIT_CODE);
      }
    }
  }
}
