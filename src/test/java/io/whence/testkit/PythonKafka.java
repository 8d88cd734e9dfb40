package io.whence.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Python with a Kafka client that is not Java's: librdkafka's. It is installed below {@code
 * target/} when it is not there yet, with the Python and pip of the machine. Thread safety:
 * thread-safe.
 */
public final class PythonKafka {
  private static final Duration INSTALL_LIMIT = Duration.ofMinutes(5);
  private static final Duration RUN_LIMIT = Duration.ofMinutes(2);
  private static final Path SCRIPTS = Build.directory().resolve("src/test/python");
  private static final Path HOME = Build.directory().resolve("target/python-kafka");

  private PythonKafka() {}

  /**
   * Runs a script of {@code src/test/python} and returns what it printed.
   *
   * @throws IllegalStateException if the client can't be installed, or the script fails
   */
  public static String run(String script, List<String> args) {
    List<String> command = new ArrayList<>();
    command.add(python().toString());
    command.add(SCRIPTS.resolve(script).toString());
    command.addAll(args);
    return Command.run(command, Build.directory(), RUN_LIMIT);
  }

  private static synchronized Path python() {
    Path requirements = SCRIPTS.resolve("requirements.txt");
    Path installed = HOME.resolve("installed.txt");
    Path python = HOME.resolve("bin/python");
    try {
      String wanted = Files.readString(requirements);
      if (!Files.exists(installed) || !Files.readString(installed).equals(wanted)) {
        install(python, requirements);
        Files.writeString(installed, wanted);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return python;
  }

  private static void install(Path python, Path requirements) throws IOException {
    Files.createDirectories(HOME.getParent());
    Command.run(
        List.of("python3", "-m", "venv", "--clear", HOME.toString()),
        Build.directory(),
        INSTALL_LIMIT);
    List<String> pip = new ArrayList<>(List.of(python.toString(), "-m", "pip", "install", "-q"));
    pip.addAll(List.of("--disable-pip-version-check", "--only-binary", ":all:"));
    pip.addAll(List.of("-r", requirements.toString()));
    Command.run(pip, Build.directory(), INSTALL_LIMIT);
  }
}
