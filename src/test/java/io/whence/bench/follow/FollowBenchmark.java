package io.whence.bench.follow;

import io.whence.testkit.KafkaBroker;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads topics by a source that follows them, by lanes alone and by a consumer, in turn, and prints
 * the medians. Thread safety: single-writer.
 */
public final class FollowBenchmark {
  private static final int ROUNDS = 5;
  private static final List<BenchTopic> CASES =
      List.of(
          new BenchTopic("plain-100", 4, "none", 100, 4_000_000),
          new BenchTopic("lz4-100", 4, "lz4", 100, 4_000_000),
          new BenchTopic("plain-1k", 4, "none", 1_000, 800_000),
          new BenchTopic("wide", 1_000, "none", 100, 1_000_000));

  private FollowBenchmark() {}

  /**
   * Runs it.
   *
   * @param args names of topics to read, "lookups" for lookups meanwhile; none for all
   */
  public static void main(String[] args) throws Exception {
    try (KafkaBroker broker =
        KafkaBroker.start(Map.of(), List.of("-Xms512m", "-Xmx512m", "-XX:+UseSerialGC"))) {
      List<String> chosen = Arrays.asList(args);
      boolean lookups = args.length == 0 || chosen.contains("lookups");
      for (BenchTopic one : CASES) {
        boolean measured = args.length == 0 || chosen.contains(one.name());
        if (measured || (lookups && CASES.indexOf(one) < 2)) {
          one.fill(broker);
        }
        if (measured) {
          measure(broker, one);
        }
      }
      if (lookups) {
        LookupsWhileFollowing.measure(broker, CASES.get(0), CASES.get(1));
      }
    }
  }

  private static void measure(KafkaBroker broker, BenchTopic topic) throws Exception {
    Map<String, Reader> readers = new LinkedHashMap<>();
    readers.put("consumer", new ConsumerReader(broker.bootstrapServers()));
    readers.put("lane, headers", new LaneReader(broker, false));
    readers.put("lane, records", new LaneReader(broker, true));
    readers.put("source, from nothing", new SourceReader(broker, false));
    readers.put("source, started again", new SourceReader(broker, true));
    Map<String, List<Long>> times = new LinkedHashMap<>();
    for (int round = 0; round <= ROUNDS; round++) {
      for (Map.Entry<String, Reader> reader : readers.entrySet()) {
        long nanos = reader.getValue().read(topic);
        // The first round is the warm-up.
        if (round > 0) {
          times.computeIfAbsent(reader.getKey(), k -> new ArrayList<>()).add(nanos);
        }
      }
    }
    times.forEach((reader, found) -> print(topic, reader, found));
  }

  private static void print(BenchTopic topic, String reader, List<Long> found) {
    long[] nanos = found.stream().mapToLong(Long::longValue).sorted().toArray();
    System.out.printf(
        "%-10s %-22s %6.2f million records/s (%.2f to %.2f), all in %.0f ms%n",
        topic.name(),
        reader,
        1e3 * topic.records() / nanos[ROUNDS / 2],
        1e3 * topic.records() / nanos[ROUNDS - 1],
        1e3 * topic.records() / nanos[0],
        nanos[ROUNDS / 2] / 1e6);
  }
}
