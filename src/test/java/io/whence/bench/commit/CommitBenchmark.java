package io.whence.bench.commit;

import io.whence.bench.Machine;
import io.whence.testkit.Directories;
import io.whence.testkit.KafkaBroker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.ToIntFunction;
import java.util.logging.Level;
import java.util.logging.Logger;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The benchmark of commits; {@code load-tests/commits} builds and starts it, and says what the
 * options mean. Exit code 1 when a call failed or what was committed isn't there. Thread safety:
 * single-writer.
 */
@Command(name = "load-tests/commits")
final class CommitBenchmark implements Callable<Integer> {
  /** Enough for several callers to commit for one group, each for partitions of its own. */
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

  @Spec private CommandSpec spec = CommandSpec.create();

  private CommitBenchmark() {}

  /** Runs the benchmark. */
  public static void main(String[] args) {
    KAFKA_LOG.setLevel(Level.WARNING);
    System.exit(new CommandLine(new CommitBenchmark()).execute(args));
  }

  @Override
  public Integer call() throws Exception {
    Plan plan = plan();
    Map<String, String> conditions = Conditions.of(plan);
    Report report = new Report(conditions, measure(plan));
    Machine.progress("measured, and everything that was committed is there");
    report.lines().forEach(System.out::println);
    if (!json.toString().isEmpty()) {
      report.write(json);
    }
    return 0;
  }

  /** Refuses now what would fail at the end. */
  private Plan plan() {
    Path parent = json.toAbsolutePath().getParent();
    if (parent == null || !Files.isDirectory(parent)) {
      throw new ParameterException(spec.commandLine(), "--json: no such directory: " + parent);
    }
    try {
      return quick ? Plan.quick() : Plan.of(partitions, callers, rounds, seconds);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()));
    }
  }

  private Results measure(Plan plan) throws Exception {
    Path directory = Directories.temporary("whence-load");
    int most = plan.maxPartitions();
    int ofOneGroup = quick ? most : Math.max(most, PARTITIONS_OF_ONE_GROUP);
    Machine.progress(
        "starting Kafka and Whence, making topics of the partitions that are committed");
    try (KafkaBroker broker = KafkaBroker.start(KAFKA_SETTINGS, Machine.SERVER_OPTIONS);
        CommitServer server = CommitServer.start(directory.resolve("whence-data"), ofOneGroup)) {
      Map<Result.Role, Peer> peers = peers(KafkaPeer.on(broker, most), server, directory);
      return new Run(plan, peers, Machine::progress).measure();
    } finally {
      Directories.delete(directory);
    }
  }

  private static Map<Result.Role, Peer> peers(
      KafkaPeer kafka, CommitServer server, Path directory) {
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
}
