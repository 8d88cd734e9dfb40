package io.whence.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The operating system's copies of files. What a process has mapped and used stays, whatever is
 * done here. Thread safety: thread-safe.
 */
public enum PageCache {
  /** Everything goes, by the kernel's own switch; takes root. */
  ALL("dropped with /proc/sys/vm/drop_caches") {
    @Override
    void drop(Path directory) throws IOException {
      Files.writeString(SWITCH, "3");
    }
  },
  /** The files of a directory go, by advice that the kernel follows. */
  FILES("dropped with posix_fadvise, file by file") {
    @Override
    void drop(Path directory) throws IOException {
      run(List.of("python3", "-c", ADVICE, directory.toString()));
    }
  },
  /** Nothing can be done here. */
  NONE("NOT dropped: needs root on Linux, or python3") {
    @Override
    void drop(Path directory) {
      // The figures say that it was not.
    }
  };

  private static final Path SWITCH = Path.of("/proc/sys/vm/drop_caches");
  private static final String ADVICE =
      """
      import os, sys
      for directory, _, names in os.walk(sys.argv[1]):
          for name in names:
              file = os.open(os.path.join(directory, name), os.O_RDONLY)
              os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
              os.close(file)
      """;
  private static final int TIME_LIMIT_SECONDS = 120;

  private final String title;

  PageCache(String title) {
    this.title = title;
  }

  /** Returns the best way that works here. */
  public static PageCache find(Path directory) {
    for (PageCache way : List.of(ALL, FILES)) {
      try {
        way.drop(directory);
        return way;
      } catch (IOException e) {
        Machine.progress("page cache, " + way + ": " + e.getMessage());
      }
    }
    return NONE;
  }

  abstract void drop(Path directory) throws IOException;

  /** Drops the files of some directories; first everything is written to the disk. */
  public void dropAll(List<Path> directories) throws IOException {
    if (this != NONE) {
      run(List.of("sync"));
    }
    for (Path directory : this == ALL ? directories.subList(0, 1) : directories) {
      drop(directory);
    }
  }

  /** Returns what it does, for tables. */
  public String title() {
    return title;
  }

  private static void run(List<String> command) throws IOException {
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      if (!process.waitFor(TIME_LIMIT_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
        process.destroyForcibly();
        throw new IOException(command.get(0) + " failed");
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }
}
