package io.whence.testkit;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.common.utils.internals.AppInfoParser;

/**
 * The class path of the broker, of the version of our client. Maven resolves it once per build
 * directory, from {@code src/test/kafka/pom.xml}; the first time on a machine it downloads about 60
 * MB. Thread safety: thread-safe.
 */
final class KafkaLibraries {
  private static final Duration TIME_LIMIT = Duration.ofMinutes(10);
  private static final Path POM = Build.directory().resolve("src/test/kafka/pom.xml");

  private KafkaLibraries() {}

  /** Returns the class path in the form of {@code java -cp}. */
  static synchronized String classPath() {
    String version = AppInfoParser.getVersion();
    Path file = Build.directory().resolve("target/kafka").resolve(version + ".classpath");
    try {
      Files.createDirectories(file.getParent());
      // Test JVMs run side by side, and Maven's repository is not made for two that download.
      try (FileChannel lock =
              FileChannel.open(
                  file.resolveSibling(version + ".lock"),
                  StandardOpenOption.CREATE,
                  StandardOpenOption.WRITE);
          FileLock held = lock.lock()) {
        if (held.isValid() && !isUsable(file)) {
          resolve(version, file);
        }
      }
      return Files.readString(file).trim();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A local repository may have been emptied since, and the POM edited. */
  private static boolean isUsable(Path file) throws IOException {
    return Files.exists(file)
        && Files.getLastModifiedTime(file).compareTo(Files.getLastModifiedTime(POM)) >= 0
        && Arrays.stream(Files.readString(file).trim().split(File.pathSeparator))
            .allMatch(jar -> Files.exists(Path.of(jar)));
  }

  private static void resolve(String version, Path file) throws IOException {
    Path fresh = file.resolveSibling(version + ".tmp");
    try {
      runMaven(version, fresh, List.of("-o"));
    } catch (IllegalStateException notDownloadedYet) {
      runMaven(version, fresh, List.of());
    }
    Files.move(fresh, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
  }

  private static void runMaven(String version, Path output, List<String> options) {
    List<String> command = new ArrayList<>(List.of(maven(), "-q", "-B", "-f", POM.toString()));
    command.addAll(options);
    command.add("-Dkafka.version=" + version);
    command.add("-Dmdep.outputFile=" + output);
    command.add("-DincludeScope=runtime");
    // Surefire hands down where the build that runs us keeps its artifacts.
    String repository = System.getProperty("localRepository", "");
    if (!repository.isEmpty()) {
      command.add("-Dmaven.repo.local=" + repository);
    }
    command.add("dependency:build-classpath");
    Command.run(command, Build.directory(), TIME_LIMIT);
  }

  private static String maven() {
    return File.separatorChar == '\\' ? "mvn.cmd" : "mvn";
  }
}
