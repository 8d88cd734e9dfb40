package io.whence.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Log directories that a real Kafka broker wrote; see the README beside them. */
public final class FixtureArchive {
  private static final Path ROOT = Path.of("src/test/resources/fixtures");
  private static final int TIMEOUT_SECONDS = 60;

  private FixtureArchive() {}

  /** Returns the names of all fixtures, sorted. */
  public static List<String> names() {
    try (Stream<Path> paths = Files.list(ROOT)) {
      return paths
          .filter(Files::isDirectory)
          .map(path -> path.getFileName().toString())
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Unpacks the log directory of a fixture into an existing directory, with file times. */
  public static void unpack(String name, Path into) throws IOException, InterruptedException {
    Process tar =
        new ProcessBuilder(
                "tar",
                "-xzSf",
                ROOT.resolve(name).resolve("data.tar.gz").toString(),
                "-C",
                "" + into)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    if (!tar.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
      tar.destroyForcibly();
      throw new IOException("tar of fixture " + name + " did not end");
    }
    if (tar.exitValue() != 0) {
      throw new IOException("tar of fixture " + name + " ended with " + tar.exitValue());
    }
  }
}
