package io.whence.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The files that a process opens, maps or reads from a place in, as strace sees it: one entry for
 * each call. Sockets are read with other calls. Thread safety: thread-safe.
 */
public final class FileReads {
  private static final String CALLS = "trace=openat,pread64,preadv,preadv2,mmap";

  /** What is opened, in quotes; or what a descriptor stands for, in angle brackets. */
  private static final Pattern FILE = Pattern.compile("(?:\"|\\d<)(/[^\">]*)[\">]");

  /** The kernel's own figures, which the JVM reads to see how much memory there is. */
  private static final List<String> NO_FILES = List.of("/proc/", "/sys/", "/dev/");

  private static final long ATTACH_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(20);
  private static final int END_LIMIT_SECONDS = 20;

  private FileReads() {}

  /**
   * Looks while something is done.
   *
   * @return nothing where there is no strace, or it may not look
   */
  public static Optional<List<String>> during(long pid, Callable<?> what) throws Exception {
    Path output = Files.createTempFile("strace", ".out");
    try {
      Process strace = start(pid, output);
      try {
        if (!isAttached(pid, strace)) {
          return Optional.empty();
        }
        what.call();
      } finally {
        // SIGTERM lets it detach.
        strace.destroy();
        strace.waitFor(END_LIMIT_SECONDS, TimeUnit.SECONDS);
      }
      return Optional.of(files(Files.readAllLines(output)));
    } catch (IOException e) {
      Machine.progress("strace: " + e.getMessage());
      return Optional.empty();
    } finally {
      Files.deleteIfExists(output);
    }
  }

  private static List<String> files(List<String> lines) {
    List<String> files = new ArrayList<>();
    for (String line : lines) {
      Matcher file = FILE.matcher(line);
      if (file.find() && NO_FILES.stream().noneMatch(file.group(1)::startsWith)) {
        files.add(file.group(1));
      }
    }
    return files;
  }

  private static Process start(long pid, Path output) throws IOException {
    return new ProcessBuilder(
            List.of(
                "strace", "-f", "-y", "-qq", "-e", CALLS, "-o", output.toString(), "-p", pid + ""))
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
}
