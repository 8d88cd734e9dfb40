package io.whence.bench.lookup;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.whence.bench.Machine;
import io.whence.bench.report.Goal;
import io.whence.bench.report.Section;
import io.whence.bench.report.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Lookups without a call, by JMH in a JVM of its own, with its allocation profiler. Thread safety:
 * immutable.
 */
record JmhMeasurement() implements Measurement {
  private static final String MAIN = "org.openjdk.jmh.Main";
  private static final String BENCHMARK = "LookupBenchmark";
  private static final double MOST_TIMES_PLAIN = 0.6;

  @Override
  public String name() {
    return "in-process";
  }

  @Override
  public Section measure(Lab lab) throws Exception {
    Map<String, String> conditions = Machine.conditions();
    Machine.progress(name() + ": JMH");
    Settings settings = lab.settings();
    int records = settings.growth().memoryRecords();
    Path file = Files.createTempFile("jmh", ".json");
    Map<String, double[]> scores = scores(run(settings, records, file));
    Files.delete(file);
    List<List<Object>> rows = new ArrayList<>();
    double plain = scores.get("plainBinarySearch")[0];
    scores.forEach(
        (benchmark, score) -> rows.add(List.of(benchmark, score[0], score[0] / plain, score[1])));
    double[] lookup = scores.get("lookup");
    return new Section(
        name(),
        conditions,
        List.of(
            new Table(
                "Lookups in one partition of %,d records, about one every ms".formatted(records),
                List.of("benchmark", "ns", "÷ plain binary search", "bytes allocated"),
                rows)),
        List.of(
            Goal.atMost(
                MOST_TIMES_PLAIN,
                "lookup in process",
                "binary search over a `long[]` of the same size",
                lookup[0] / plain),
            // The profiler's own garbage is a few thousandths of a byte.
            Goal.atMost(0.1, "lookup in process", "bytes allocated", lookup[1])),
        List.of("by JMH; `load-tests/jmh` runs these and others for longer"));
  }

  private static Path run(Settings settings, int records, Path file)
      throws IOException, InterruptedException {
    String seconds = String.format(Locale.ROOT, "%dms", settings.nanos() / 1_000_000);
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add("-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"));
    // In short, only what is compared.
    String names = settings.rounds() > 1 ? BENCHMARK : BENCHMARK + "\\.(lookup|plain.*)$";
    command.addAll(List.of(MAIN, names, "-prof", "gc", "-f", "1"));
    command.addAll(List.of("-wi", "3", "-w", seconds, "-i", "" + settings.rounds(), "-r", seconds));
    command.addAll(List.of("-p", "records=" + records));
    command.addAll(List.of("-rf", "json", "-rff", file.toString(), "-foe", "true"));
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(file.resolveSibling("jmh.log").toFile())
            .start();
    if (process.waitFor() != 0) {
      throw new IOException("JMH failed:\n" + Files.readString(file.resolveSibling("jmh.log")));
    }
    return file;
  }

  /** Returns time and allocated bytes of each benchmark. */
  private static Map<String, double[]> scores(Path file) throws IOException {
    Map<String, double[]> scores = new TreeMap<>();
    for (JsonNode result : new ObjectMapper().readTree(file.toFile())) {
      String name = result.get("benchmark").asText();
      scores.put(
          name.substring(name.lastIndexOf('.') + 1),
          new double[] {
            result.get("primaryMetric").get("score").asDouble(),
            result.path("secondaryMetrics").path("gc.alloc.rate.norm").path("score").asDouble()
          });
    }
    return scores;
  }
}
