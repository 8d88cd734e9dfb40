package io.whence.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * Counts how often a process opens files or reads from a place in one, as strace sees it. Sockets
 * are read with other calls. Thread safety: thread-safe.
 */
public final class FileReads {
  private static final String CALLS = "trace=openat,pread64,preadv,preadv2,mmap";
  private static final long ATTACH_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(20);
  private static final int END_LIMIT_SECONDS = 20;

  private FileReads() {}

  /**
   * Counts while something is done.
   *
   * @return nothing where there is no strace, or it may not look
   */
  public static OptionalLong during(long pid, Callable<?> what) throws Exception {
    Path output = Files.createTempFile("strace", ".out");
    try {
      Process strace = start(pid, output);
      try {
        if (!isAttached(pid, strace)) {
          return OptionalLong.empty();
        }
        what.call();
      } finally {
        // SIGTERM lets it detach.
        strace.destroy();
        strace.waitFor(END_LIMIT_SECONDS, TimeUnit.SECONDS);
      }
      return OptionalLong.of(Files.readAllLines(output).stream().filter(FileReads::isCall).count());
    } catch (IOException e) {
      Machine.progress("strace: " + e.getMessage());
      return OptionalLong.empty();
    } finally {
      Files.deleteIfExists(output);
    }
  }

  private static Process start(long pid, Path output) throws IOException {
    return new ProcessBuilder(
            List.of("strace", "-f", "-qq", "-e", CALLS, "-o", output.toString(), "-p", pid + ""))
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  /** Returns whether all threads that the process has are looked at. */
  private static boolean isAttached(long pid, Process strace)
      throws IOException, InterruptedException {
    long deadline = System.nanoTime() + ATTACH_LIMIT_NANOS;
    while (strace.isAlive() && System.nanoTime() < deadline) {
      if (areTraced(Path.of("/proc", String.valueOf(pid), "task"))) {
        return true;
      }
      strace.waitFor(20, TimeUnit.MILLISECONDS);
    }
    return false;
  }

  private static boolean areTraced(Path tasks) throws IOException {
    try (var threads = Files.newDirectoryStream(tasks)) {
      for (Path thread : threads) {
        if (Files.readString(thread.resolve("status")).contains("TracerPid:\t0\n")) {
          return false;
        }
      }
    }
    return true;
  }

  private static boolean isCall(String line) {
    // Memory that is not of a file is mapped with this flag.
    return line.contains("(") && !line.contains("MAP_ANONYMOUS");
  }
}
