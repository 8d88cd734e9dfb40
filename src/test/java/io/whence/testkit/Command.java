package io.whence.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Commands that run to their end. Thread safety: thread-safe. */
final class Command {
  private Command() {}

  /**
   * Runs a command and returns what it printed, errors included.
   *
   * @param directory where it runs
   * @throws IllegalStateException if it fails or takes longer than the limit, with its output
   */
  static String run(List<String> command, Path directory, Duration limit) {
    try {
      // A file and not a pipe: a pipe that nobody empties would stop the command.
      Path output = Files.createTempFile("command", ".out");
      try {
        return run(command, directory, limit, output);
      } finally {
        Files.delete(output);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while running " + command, e);
    }
  }

  private static String run(List<String> command, Path directory, Duration limit, Path output)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    process.getOutputStream().close();
    if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
      process.destroyForcibly();
      throw new IllegalStateException(
          command + " took longer than " + limit + ":\n" + Files.readString(output));
    }
    if (process.exitValue() != 0) {
      throw new IllegalStateException(
          command + " exited with " + process.exitValue() + ":\n" + Files.readString(output));
    }
    return Files.readString(output);
  }
}
