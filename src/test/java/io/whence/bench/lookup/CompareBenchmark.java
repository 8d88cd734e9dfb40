package io.whence.bench.lookup;

import io.whence.bench.Machine;
import io.whence.bench.report.Report;
import io.whence.bench.report.Section;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import java.util.logging.Logger;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The comparison of lookups; {@code load-tests/compare} builds and starts it, and says what the
 * options mean. Exit code 1 when a call failed or an answer was wrong. Thread safety:
 * single-writer.
 */
@Command(name = "load-tests/compare")
final class CompareBenchmark implements Callable<Integer> {
  /** In the order of the report; those that share servers follow each other. */
  private static final List<Measurement> ALL =
      List.of(
          new MemoryMeasurement(),
          new JmhMeasurement(),
          new LatencyMeasurement(),
          new ThroughputMeasurement(),
          new ColdMeasurement(),
          new RestartMeasurement(),
          new StartMeasurement(),
          new GrowthMeasurement());

  /** Held, or its level would be forgotten. */
  private static final Logger KAFKA_LOG = Logger.getLogger("org.apache.kafka");

  @Option(names = "--only", split = ",")
  private List<String> only = List.of();

  @Option(names = "--partitions", split = ",", defaultValue = "1,100,1000")
  private List<Integer> partitions = List.of();

  @Option(names = "--rounds", defaultValue = "3")
  private int rounds;

  @Option(names = "--seconds", defaultValue = "1")
  private double seconds;

  @Option(names = "--topic-records", defaultValue = "10000")
  private long topicRecords;

  @Option(names = "--max-records", defaultValue = "100000000")
  private long maxRecords;

  @Option(names = "--quick")
  private boolean quick;

  @Option(names = "--json")
  private Path json = Path.of("");

  @Option(names = "--write-docs")
  private boolean writeDocs;

  @Option(names = "--from")
  private Path from = Path.of("");

  @Spec private CommandSpec spec = CommandSpec.create();

  private CompareBenchmark() {}

  /** Runs the benchmark. */
  public static void main(String[] args) {
    KAFKA_LOG.setLevel(Level.WARNING);
    System.exit(new CommandLine(new CompareBenchmark()).execute(args));
  }

  @Override
  public Integer call() throws Exception {
    List<Measurement> wanted = wanted();
    requireDirectory();
    Report report = from.toString().isEmpty() ? measure(wanted) : Report.read(from);
    Machine.progress("measured, and every answer that was checked is right");
    report.lines().forEach(System.out::println);
    if (!json.toString().isEmpty()) {
      report.write(json);
    }
    if (writeDocs) {
      report.writeDocs();
    }
    return 0;
  }

  private List<Measurement> wanted() {
    List<String> names = ALL.stream().map(Measurement::name).toList();
    for (String name : only) {
      if (!names.contains(name)) {
        throw new ParameterException(
            spec.commandLine(), "--only: no '" + name + "'; there are " + names);
      }
    }
    return ALL.stream().filter(part -> only.isEmpty() || only.contains(part.name())).toList();
  }

  /** Refuses now what would fail at the end. */
  private void requireDirectory() {
    Path parent = json.toAbsolutePath().getParent();
    if (parent == null || !Files.isDirectory(parent)) {
      throw new ParameterException(spec.commandLine(), "--json: no such directory: " + parent);
    }
  }

  private Settings settings() {
    try {
      return quick
          ? Settings.quick()
          : new Settings(
              partitions, rounds, seconds, topicRecords, Settings.Growth.FULL.upTo(maxRecords));
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()));
    }
  }

  private Report measure(List<Measurement> wanted) throws Exception {
    List<Section> sections = new ArrayList<>();
    try (Lab lab = new Lab(settings())) {
      for (Measurement part : wanted) {
        sections.add(part.measure(lab));
      }
    }
    return new Report(sections);
  }
}
