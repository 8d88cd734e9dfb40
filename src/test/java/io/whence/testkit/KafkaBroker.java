package io.whence.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.kafka.clients.admin.Admin;

/**
 * A real broker, alone in its cluster, in a process of its own, on loopback ports that stay the
 * same when it restarts. It keeps all records of whatever year. The process ends with this JVM,
 * however that ends. Thread safety: single-writer.
 *
 * <pre>{@code
 * try (KafkaBroker broker = KafkaBroker.start(Map.of("log.index.interval.bytes", "64"));
 *     Admin admin = broker.admin()) {
 *   ...
 *   broker.kill();
 *   broker.restart();
 * }
 * }</pre>
 */
public final class KafkaBroker implements AutoCloseable {
  private static final Duration START_LIMIT = Duration.ofSeconds(90);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(60);
  private static final Duration POLL = Duration.ofMillis(20);
  private static final String STARTED = "Kafka Server started";
  private static final List<String> JVM_OPTIONS =
      List.of(
          "-Xms64m",
          "-Xmx512m",
          "-XX:+UseSerialGC",
          // Brokers in tests live for seconds: full compilation never pays.
          "-XX:TieredStopAtLevel=1");
  private static final List<String> LOGGING =
      List.of(
          "-Dorg.slf4j.simpleLogger.defaultLogLevel=info",
          "-Dorg.slf4j.simpleLogger.showDateTime=true");

  private final Path home;
  private final KafkaSettings settings;
  private final List<String> jvmOptions;
  private ChildJvm process;

  private KafkaBroker(
      Path home, KafkaSettings settings, List<String> jvmOptions, ChildJvm process) {
    this.home = home;
    this.settings = settings;
    this.jvmOptions = jvmOptions;
    this.process = process;
  }

  /**
   * Starts a broker on fresh directories.
   *
   * @param overrides settings of the broker that replace those of the kit
   */
  public static KafkaBroker start(Map<String, String> overrides) {
    return start(overrides, JVM_OPTIONS);
  }

  /**
   * Starts a broker on fresh directories, with other options of its JVM than those for tests.
   *
   * @param overrides settings of the broker that replace those of the kit
   * @param jvmOptions memory, garbage collector, compilation
   */
  public static KafkaBroker start(Map<String, String> overrides, List<String> jvmOptions) {
    Path home = Directories.temporary("whence-broker");
    KafkaDirectories directories =
        new KafkaDirectories(home.resolve("data"), home.resolve("metadata"));
    return start(home, directories, settings -> overrides, jvmOptions);
  }

  /**
   * Starts a broker on given directories, which it changes. They outlive it.
   *
   * @param logDir the partitions
   * @param metadataDir the metadata of the cluster that wrote them. Without it the broker takes the
   *     partitions for strays: then use {@link KafkaAdoption}
   * @param overrides settings of the broker that replace those of the kit
   */
  public static KafkaBroker startOn(Path logDir, Path metadataDir, Map<String, String> overrides) {
    KafkaDirectories directories = new KafkaDirectories(logDir, metadataDir);
    return start(
        Directories.temporary("whence-broker"), directories, settings -> overrides, JVM_OPTIONS);
  }

  /**
   * Starts a broker on given directories, which outlive it.
   *
   * @param overrides gives settings that replace those of the kit, once the ports are known
   */
  static KafkaBroker start(
      KafkaDirectories directories, Function<KafkaSettings, Map<String, String>> overrides) {
    return start(Directories.temporary("whence-broker"), directories, overrides, JVM_OPTIONS);
  }

  private static KafkaBroker start(
      Path home,
      KafkaDirectories directories,
      Function<KafkaSettings, Map<String, String>> overrides,
      List<String> jvmOptions) {
    directories.format();
    KafkaSettings settings = KafkaSettings.onFreePorts(directories);
    settings.write(home.resolve("server.properties"), overrides.apply(settings));
    KafkaBroker broker =
        new KafkaBroker(home, settings, jvmOptions, startProcess(home, jvmOptions));
    try {
      broker.awaitStart();
    } catch (IllegalStateException e) {
      broker.close();
      throw e;
    }
    return broker;
  }

  /** Returns the address for clients. */
  public String bootstrapServers() {
    return "127.0.0.1:" + settings.clientPort();
  }

  /** Makes a client for administration; the caller closes it. */
  public Admin admin() {
    return Admin.create(Map.of("bootstrap.servers", bootstrapServers()));
  }

  /** Returns the directory of the partitions. */
  public Path logDir() {
    return settings.directories().logDir();
  }

  /** Returns the directory of the cluster's metadata. */
  public Path metadataDir() {
    return settings.directories().metadataDir();
  }

  /** Returns what the process has logged since its last start. */
  public String processLog() {
    Path file = logFile(home);
    try {
      return Files.exists(file) ? Files.readString(file) : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Stops the broker cleanly, so that it writes everything and the clean marker. */
  public void stop() {
    if (process.process().isAlive() && !process.terminate(STOP_LIMIT)) {
      process.kill();
      throw failure("did not stop within " + STOP_LIMIT);
    }
  }

  /** Kills the broker with SIGKILL. */
  public void kill() {
    process.kill();
  }

  /** Stops the broker in its tracks (SIGSTOP): its connections stay, and nothing answers. */
  public void pause() {
    process.signal("STOP");
  }

  /** Lets a broker go on that was paused. */
  public void resume() {
    process.signal("CONT");
  }

  /** Returns the address of the controller in the process. */
  String controllerAddress() {
    return "127.0.0.1:" + settings.controllerPort();
  }

  /** Starts the broker again, on the same directories and ports, after a stop or a kill. */
  public void restart() {
    if (process.process().isAlive()) {
      throw new IllegalStateException("the broker is still running");
    }
    try {
      // The line that tells of the start must be one of the new process.
      Files.deleteIfExists(logFile(home));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    process = startProcess(home, jvmOptions);
    awaitStart();
  }

  /** Kills the broker if it is running, and removes what was not given by the caller. */
  @Override
  public void close() {
    process.close();
    Directories.delete(home);
  }

  private static Path logFile(Path home) {
    return home.resolve("server.log");
  }

  private static ChildJvm startProcess(Path home, List<String> jvmOptions) {
    Path log = logFile(home);
    List<String> options = new ArrayList<>(jvmOptions);
    options.addAll(LOGGING);
    return ChildJvm.start(
        KafkaLibraries.classPath(),
        options,
        "kafka.Kafka",
        List.of(home.resolve("server.properties").toString()),
        ProcessBuilder.Redirect.appendTo(log.toFile()),
        log);
  }

  private void awaitStart() {
    long deadline = System.nanoTime() + START_LIMIT.toNanos();
    while (!processLog().contains(STARTED)) {
      if (process.waitFor(POLL)) {
        throw failure("ended with " + process.process().exitValue() + " instead of starting");
      }
      if (System.nanoTime() > deadline) {
        process.kill();
        throw failure("did not start within " + START_LIMIT);
      }
    }
  }

  private IllegalStateException failure(String what) {
    return new IllegalStateException("the broker " + what + ":\n" + processLog());
  }
}
