package io.whence.bench;

import io.whence.testkit.Directories;
import io.whence.testkit.KafkaBroker;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.ToIntFunction;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.kafka.common.utils.internals.AppInfoParser;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The benchmark of commits; {@code load-tests/commits} builds and starts it, and says what the
 * options mean. Exit code 1 when a call failed or what was committed isn't there. Thread safety:
 * single-writer.
 */
@Command(name = "load-tests/commits")
final class CommitBenchmark implements Callable<Integer> {
  /** Of both servers: as Kafka's own scripts start a broker. */
  private static final List<String> JVM_OPTIONS =
      List.of("-Xms1g", "-Xmx1g", "-XX:+UseG1GC", "-XX:MaxGCPauseMillis=20");

  /** As many as calls need, and enough for several callers to share one group. */
  private static final int PARTITIONS_OF_ONE_GROUP = 2000;

  /** As a broker has by default; the test kit makes do with one. */
  private static final Map<String, String> KAFKA_SETTINGS =
      Map.of("offsets.topic.num.partitions", "50");

  private static final int SMALL_BYTES = 100;

  /** Held, or its level would be forgotten. */
  private static final Logger KAFKA_LOG = Logger.getLogger("org.apache.kafka");

  @Option(names = "--partitions", split = ",", defaultValue = "1,100,1000")
  private List<Integer> partitions = List.of();

  @Option(names = "--callers", split = ",", defaultValue = "1,4,16,64")
  private List<Integer> callers = List.of();

  @Option(names = "--rounds", defaultValue = "3")
  private int rounds;

  @Option(names = "--seconds", defaultValue = "5")
  private double seconds;

  @Option(names = "--quick")
  private boolean quick;

  @Option(names = "--json")
  private Path json = Path.of("");

  private CommitBenchmark() {}

  /** Runs the benchmark. */
  public static void main(String[] args) {
    KAFKA_LOG.setLevel(Level.WARNING);
    System.exit(new CommandLine(new CommitBenchmark()).execute(args));
  }

  @Override
  public Integer call() throws Exception {
    Plan plan = quick ? Plan.quick() : Plan.of(partitions, callers, rounds, seconds);
    Map<String, String> conditions = conditions(plan);
    Path home = Path.of(System.getProperty("basedir", "")).toAbsolutePath();
    Path directory = Directories.temporary("whence-load");
    int kafkaPartitions = plan.maxPartitions();
    progress("starting Kafka and Whence, making topics");
    try (KafkaBroker broker = KafkaBroker.start(KAFKA_SETTINGS, JVM_OPTIONS);
        WhenceServer server =
            WhenceServer.start(
                home,
                directory,
                String.join(" ", JVM_OPTIONS),
                Math.max(plan.maxPartitions(), PARTITIONS_OF_ONE_GROUP))) {
      Map<Result.Role, Peer> peers =
          peers(KafkaPeer.on(broker, kafkaPartitions), server, directory);
      Report report =
          new Report(conditions, new Run(plan, peers, CommitBenchmark::progress).measure());
      report.lines().forEach(System.out::println);
      if (!json.toString().isEmpty()) {
        report.write(json);
      }
    } finally {
      Directories.delete(directory);
    }
    return 0;
  }

  private static Map<Result.Role, Peer> peers(
      KafkaPeer kafka, WhenceServer server, Path directory) {
    Map<Integer, Integer> bytes = new LinkedHashMap<>();
    ToIntFunction<Cell> bytesOf =
        cell -> bytes.computeIfAbsent(cell.partitions(), server::commitBytes);
    Map<Result.Role, Peer> peers = new EnumMap<>(Result.Role.class);
    peers.put(Result.Role.SMALL_FSYNC, new FsyncPeer(directory, cell -> SMALL_BYTES));
    peers.put(Result.Role.FSYNC, new FsyncPeer(directory, bytesOf));
    peers.put(Result.Role.SMALLEST_CALL, new ListGroupsPeer(server.port()));
    peers.put(Result.Role.NO_OP, new WhencePeer(server, WhencePeer.Kind.DRY_RUN));
    peers.put(Result.Role.KAFKA, kafka);
    peers.put(Result.Role.WHENCE, new WhencePeer(server, WhencePeer.Kind.OWN_GROUPS));
    peers.put(Result.Role.WHENCE_ONE_GROUP, new WhencePeer(server, WhencePeer.Kind.ONE_GROUP));
    return peers;
  }

  /** Returns what the figures depend on, as it is before the load. */
  private Map<String, String> conditions(Plan plan) throws IOException {
    var machine = ManagementFactory.getOperatingSystemMXBean();
    Map<String, String> conditions = new LinkedHashMap<>();
    conditions.put("when", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
    conditions.put(
        "machine",
        String.format(
            Locale.ROOT,
            "%d processors, %s; load average %.1f before",
            machine.getAvailableProcessors(),
            machine.getArch(),
            machine.getSystemLoadAverage()));
    conditions.put(
        "disk", Files.getFileStore(Path.of(System.getProperty("java.io.tmpdir"))).type());
    conditions.put(
        "servers",
        "Kafka "
            + AppInfoParser.getVersion()
            + " and Whence, each with "
            + String.join(" ", JVM_OPTIONS));
    conditions.put(
        "client",
        "one JVM for all callers, Java "
            + Runtime.version().feature()
            + "; gRPC: a connection for every "
            + Channels.CALLERS_EACH
            + " callers; Kafka: a consumer for each caller");
    conditions.put(
        "rounds",
        String.format(
            Locale.ROOT,
            "%d of %.1f s of commits each, interleaved; medians",
            plan.rounds(),
            plan.seconds()));
    return conditions;
  }

  private static void progress(String what) {
    System.err.println("-- " + what);
  }
}
