package io.whence.app;

import io.quarkus.runtime.Quarkus;
import java.util.concurrent.atomic.AtomicBoolean;
import sun.misc.Signal;

/**
 * Turns SIGTERM and SIGINT into an orderly stop that ends with exit code 0; the JVM's own handling
 * would end with 143 or 130. Thread safety: thread-safe.
 */
final class StopSignals {
  private static final AtomicBoolean STOPPING = new AtomicBoolean();

  private StopSignals() {}

  /**
   * Handles the signals from now on.
   *
   * @param beforeStop runs on a thread of its own while the server still answers; the stop follows
   */
  static void install(Runnable beforeStop) {
    Signal.handle(new Signal("TERM"), signal -> stop(beforeStop));
    Signal.handle(new Signal("INT"), signal -> stop(beforeStop));
  }

  private static void stop(Runnable beforeStop) {
    if (!STOPPING.compareAndSet(false, true)) {
      return; // Impatience doesn't make it faster.
    }
    Thread stopper =
        new Thread(
            () -> {
              try {
                beforeStop.run();
              } finally {
                Quarkus.asyncExit(0);
              }
            },
            "whence-stop");
    stopper.start();
  }
}
