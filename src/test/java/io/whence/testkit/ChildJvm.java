package io.whence.testkit;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A JVM of our own making. It ends when this JVM does, however that ends. Thread safety:
 * thread-safe.
 */
final class ChildJvm implements AutoCloseable {
  private static final Duration KILL_LIMIT = Duration.ofSeconds(30);
  private final Process process;

  private ChildJvm(Process process) {
    this.process = process;
  }

  /**
   * Starts a main class.
   *
   * @param options options of the JVM
   * @param output where standard output goes; {@code PIPE} for {@link #process()}'s input stream
   * @param log the file to which standard error is appended
   */
  static ChildJvm start(
      String classPath,
      List<String> options,
      String mainClass,
      List<String> args,
      ProcessBuilder.Redirect output,
      Path log) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.addAll(List.of("-cp", classPath + File.pathSeparator + ownClasses()));
    command.add(ChildMain.class.getName());
    command.add(mainClass);
    command.addAll(args);
    try {
      return new ChildJvm(
          new ProcessBuilder(command)
              .redirectOutput(output)
              .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
              .start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path ownClasses() {
    try {
      return Path.of(ChildJvm.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns the process. */
  Process process() {
    return process;
  }

  /** Waits for the end. Returns whether it came within the limit. */
  boolean waitFor(Duration limit) {
    try {
      return process.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for " + process, e);
    }
  }

  /** Asks the process to stop (SIGTERM). Returns whether it did within the limit. */
  boolean terminate(Duration limit) {
    // Process.destroy would close the child's standard input, too, which ends it at once.
    process.toHandle().destroy();
    return waitFor(limit);
  }

  /** Kills the process (SIGKILL) and waits until it is gone. */
  void kill() {
    // Process.destroyForcibly would close our end of its output, too, and lose its last lines.
    process.toHandle().destroyForcibly();
    if (!waitFor(KILL_LIMIT)) {
      throw new IllegalStateException(process + " lives on after SIGKILL");
    }
  }

  /** Sends a signal, by its name without SIG. */
  void signal(String name) {
    Command.run(
        List.of("kill", "-" + name, String.valueOf(process.pid())), Path.of("."), KILL_LIMIT);
  }

  /** Kills the process if it is still there. */
  @Override
  public void close() {
    kill();
  }
}
