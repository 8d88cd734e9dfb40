package io.whence.bench.steady;

import io.whence.bench.Machine;
import io.whence.bench.Sample;
import io.whence.bench.WhenceServer;
import io.whence.bench.report.Report;
import io.whence.bench.report.Section;
import io.whence.bench.report.Table;
import io.whence.testkit.Directories;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The steady load; {@code load-tests/steady} builds and starts it, and says what the options mean.
 * Exit code 1 when something grows, or a call failed. Thread safety: single-writer.
 */
@Command(name = "load-tests/steady")
final class SteadyBenchmark implements Callable<Integer> {
  private static final double MEGABYTE = 1 << 20;
  private static final int MOST_WINDOWS = 20;
  private static final double LEAST_SECONDS = 3;

  /** The first part of the time is not judged: caches fill, code is compiled. */
  private static final double WARM_UP = 0.3;

  /** With fewer windows than these, noise looks like growth. */
  private static final int LEAST_JUDGED = 6;

  @Option(names = "--minutes", defaultValue = "10")
  private double minutes;

  @Option(names = "--lookups", defaultValue = "200")
  private double lookups;

  @Option(names = "--appends", defaultValue = "100")
  private double appends;

  @Option(names = "--commits", defaultValue = "50")
  private double commits;

  @Option(names = "--json")
  private Path json = Path.of("");

  @Option(names = "--write-docs")
  private boolean writeDocs;

  @Spec private CommandSpec spec = CommandSpec.create();

  private SteadyBenchmark() {}

  /** Runs the benchmark. */
  public static void main(String[] args) {
    System.exit(new CommandLine(new SteadyBenchmark()).execute(args));
  }

  @Override
  public Integer call() throws Exception {
    if (minutes <= 0 || lookups <= 0 || appends <= 0 || commits <= 0) {
      throw new ParameterException(spec.commandLine(), "needed: more than 0 minutes and calls");
    }
    Map<String, String> conditions = Machine.conditions();
    conditions.put("server", "Whence with " + String.join(" ", Machine.SERVER_OPTIONS));
    conditions.put(
        "load",
        "%s lookups, %s appends and %s commits a second, for %s minutes"
            .formatted(lookups, appends, commits, minutes));
    List<Window> windows = run();
    List<Window> judged = windows.subList((int) (windows.size() * WARM_UP), windows.size());
    List<Trend> trends = trends(judged);
    List<String> notes = new ArrayList<>(trends.stream().map(Trend::toString).toList());
    boolean isLong = judged.size() >= LEAST_JUDGED;
    notes.add(
        isLong
            ? "judged: the last " + judged.size() + " windows, by the median of all slopes"
            : "too short to judge: that takes about a minute");
    Report report =
        new Report(
            List.of(new Section("steady", conditions, List.of(table(windows)), List.of(), notes)));
    write(report);
    return isLong && !trends.stream().allMatch(Trend::isFlat) ? 1 : 0;
  }

  private List<Window> run() throws Exception {
    double seconds = minutes * 60;
    int count = (int) Math.max(2, Math.min(MOST_WINDOWS, seconds / LEAST_SECONDS));
    Map<Kind, Double> rates = new EnumMap<>(Kind.class);
    rates.put(Kind.LOOKUP, lookups);
    rates.put(Kind.APPEND, appends);
    rates.put(Kind.COMMIT, commits);
    Path directory = Directories.temporary("whence-load");
    try (WhenceServer server =
        WhenceServer.start(directory.resolve("data"), SteadyTopic.SERVER_SETTINGS)) {
      long windowNanos = (long) (seconds / count * TimeUnit.SECONDS.toNanos(1));
      return new SteadyRun(server, rates, count, windowNanos).windows();
    } finally {
      Directories.delete(directory);
    }
  }

  private static List<Trend> trends(List<Window> windows) {
    List<Trend> trends = new ArrayList<>();
    trends.add(Trend.of("heap MB", windows, w -> w.heapBytes() / MEGABYTE, 0.05, 2));
    trends.add(Trend.of("resident MB", windows, w -> w.residentBytes() / MEGABYTE, 0.05, 16));
    trends.add(Trend.of("open files", windows, Window::openFiles, 0.1, 50));
    trends.add(Trend.of("threads", windows, Window::threads, 0.1, 10));
    for (Kind kind : Kind.values()) {
      trends.add(
          Trend.of(kind.title() + " p99 ms", windows, w -> w.calls().get(kind).p99Ms(), 0.25, 1));
    }
    return trends;
  }

  private static Table table(List<Window> windows) {
    List<String> columns =
        new ArrayList<>(List.of("minutes", "heap MB", "resident MB", "open files", "threads"));
    for (Kind kind : Kind.values()) {
      columns.add(kind.title() + "/s");
      columns.add(kind.title() + " p50 ms");
      columns.add(kind.title() + " p99 ms");
    }
    List<List<Object>> rows = new ArrayList<>();
    for (Window window : windows) {
      List<Object> row =
          new ArrayList<>(
              List.of(
                  window.minutes(),
                  window.heapBytes() / MEGABYTE,
                  window.residentBytes() / MEGABYTE,
                  window.openFiles(),
                  window.threads()));
      for (Kind kind : Kind.values()) {
        Sample sample = window.calls().get(kind);
        row.addAll(List.of(sample.callsPerSecond(), sample.p50Ms(), sample.p99Ms()));
      }
      rows.add(row);
    }
    return new Table("A steady load; calls from when they were due", columns, rows);
  }

  private void write(Report report) throws IOException {
    report.lines().forEach(System.out::println);
    if (!json.toString().isEmpty()) {
      report.write(json);
    }
    if (writeDocs) {
      report.writeDocs();
    }
  }
}
