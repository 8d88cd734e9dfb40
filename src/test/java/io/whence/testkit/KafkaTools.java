package io.whence.testkit;

import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Kafka's command-line tools, each run in a JVM of its own. Thread safety: thread-safe. */
public final class KafkaTools {
  private static final Duration TIME_LIMIT = Duration.ofMinutes(2);

  private KafkaTools() {}

  /**
   * Runs {@code kafka-dump-log} and returns what it printed.
   *
   * @param options such as {@code --deep-iteration} or {@code --index-sanity-check}
   * @param files segment, index, time index or snapshot files
   * @throws IllegalStateException if the tool fails, with its output
   */
  public static String dumpLog(List<String> options, Path... files) {
    List<String> args = new ArrayList<>(options);
    args.add("--files");
    args.add(Arrays.stream(files).map(Path::toString).collect(Collectors.joining(",")));
    return run("org.apache.kafka.tools.DumpLogSegments", args);
  }

  /** Runs the main class of a tool and returns what it printed, errors included. */
  public static String run(String mainClass, List<String> args) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.add("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn");
    command.addAll(List.of("-cp", KafkaLibraries.classPath(), mainClass));
    command.addAll(args);
    return Command.run(command, new File("").getAbsoluteFile().toPath(), TIME_LIMIT);
  }
}
