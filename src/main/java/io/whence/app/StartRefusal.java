package io.whence.app;

import io.quarkus.runtime.LaunchMode;
import org.jboss.logging.Logger;

/** The end of a start that can't succeed as the server is set. Thread safety: thread-safe. */
final class StartRefusal {
  private static final Logger LOG = Logger.getLogger("io.whence");

  private StartRefusal() {}

  /**
   * Ends the process with code 1 and one line; nothing is open yet that would need closing. Returns
   * in tests only.
   *
   * @param problem starts with the setting that is wrong
   */
  static IllegalStateException of(String problem) {
    LOG.fatalf("not started: %s", problem);
    if (LaunchMode.current() == LaunchMode.NORMAL) {
      Runtime.getRuntime().halt(1);
    }
    return new IllegalStateException(problem);
  }
}
