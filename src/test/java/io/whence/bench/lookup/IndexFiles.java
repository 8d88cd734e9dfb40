package io.whence.bench.lookup;

import java.io.IOException;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The index files that a start reads, of our own format. Thread safety: immutable.
 *
 * @param directory the data directory
 * @param suffix what their names end in
 * @param count how many there are
 * @param bytes how large they are together
 */
record IndexFiles(Path directory, String suffix, long count, long bytes) {
  private static final List<String> SUFFIXES = List.of(".timeline", ".blockindex");
  private static final int LIMIT_SECONDS = 120;

  /** Finds those that there are: the ones that are preferred by a start. */
  static IndexFiles of(Path directory) throws IOException {
    for (String suffix : SUFFIXES) {
      try (Stream<Path> files =
          Files.find(
              directory,
              2,
              (file, attributes) -> file.toString().endsWith(suffix),
              new FileVisitOption[0])) {
        long[] sizes = files.mapToLong(file -> file.toFile().length()).toArray();
        if (sizes.length > 0) {
          long bytes = java.util.Arrays.stream(sizes).sum();
          return new IndexFiles(directory, suffix, sizes.length, bytes);
        }
      }
    }
    throw new IllegalStateException(directory + " has no index files");
  }

  /** Reads all of them with cat; returns how long that took, in milliseconds. */
  double catMs() throws IOException, InterruptedException {
    String command =
        String.format(
            Locale.ROOT, "find . -name '*%s' -print0 | sort -z | xargs -0 cat >/dev/null", suffix);
    long began = System.nanoTime();
    Process process =
        new ProcessBuilder("sh", "-c", command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
      process.destroyForcibly();
      throw new IOException(command + " failed");
    }
    return (System.nanoTime() - began) / 1e6;
  }
}
