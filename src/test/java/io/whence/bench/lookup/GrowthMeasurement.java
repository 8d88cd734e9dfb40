package io.whence.bench.lookup;

import io.whence.bench.Machine;
import io.whence.bench.Rounds;
import io.whence.bench.Sample;
import io.whence.bench.ServerMemory;
import io.whence.bench.WhenceServer;
import io.whence.bench.data.LogPlan;
import io.whence.bench.data.Shape;
import io.whence.bench.report.Goal;
import io.whence.bench.report.Section;
import io.whence.bench.report.Table;
import io.whence.record.CompressionCodec;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * How lookup time, memory and start time grow with records, segments, partitions of a call and
 * connections. Thread safety: immutable.
 */
record GrowthMeasurement() implements Measurement {
  private static final double MEGABYTE = 1 << 20;
  private static final double MOST_TIMES_TENTH = 1.3;
  private static final int CALL_OF_CONNECTIONS = 100;

  /** Little data, so that very many records are soon written. */
  private static final LogPlan.Batches DENSE =
      new LogPlan.Batches(CompressionCodec.LZ4, 5000, 2000, 0);

  private static final LogPlan.Batches SMALL =
      new LogPlan.Batches(CompressionCodec.LZ4, 100, 10, 0);

  @Override
  public String name() {
    return "growth";
  }

  @Override
  public Section measure(Lab lab) throws Exception {
    Map<String, String> conditions = lab.conditions();
    lab.closeServers();
    List<Goal> goals = new ArrayList<>();
    List<Table> tables = new ArrayList<>();
    tables.add(records(lab, goals));
    tables.add(segments(lab));
    Settings.Growth growth = lab.settings().growth();
    int partitions = growth.partitions().stream().mapToInt(size -> size).max().orElseThrow();
    LogPlan plan = new LogPlan("many", partitions, 500, Shape.ABOUT_EVERY_MS, SMALL);
    Machine.progress(name() + ": writing " + partitions + " partitions");
    Path data = lab.write("many", plan);
    try (WhenceServer server = WhenceServer.start(data)) {
      tables.add(partitions(lab, server, plan));
      tables.add(connections(lab, server, plan));
    }
    lab.remove(data);
    return new Section(
        name(),
        conditions,
        tables,
        goals,
        List.of(
            "memory after a full collection; the server has a fixed heap of 1 GB, which is part of"
                + " what is resident once it was used"));
  }

  private Table records(Lab lab, List<Goal> goals) throws Exception {
    List<List<Object>> rows = new ArrayList<>();
    double tenthNanos = 0;
    for (long records : lab.settings().growth().records()) {
      Machine.progress(name() + ": " + records + " records");
      LogPlan plan = new LogPlan("long", 1, records, Shape.ABOUT_EVERY_MS, DENSE);
      Path data = lab.write("records-" + records, plan);
      double nanos = InProcess.nanos(data, plan, lab.settings());
      List<Object> row = new ArrayList<>(List.of(records, nanos));
      row.addAll(started(lab, data, plan));
      rows.add(row);
      if (tenthNanos > 0) {
        goals.add(
            Goal.atMost(
                MOST_TIMES_TENTH,
                "lookup in %,d records, in process".formatted(records),
                "a tenth of the records",
                nanos / tenthNanos));
      }
      tenthNanos = nanos;
      lab.remove(data);
    }
    return new Table(
        "Records in one partition, about one every ms, calls of 1",
        List.of(
            "records",
            "ns a lookup, in process",
            "p50 ms",
            "p99 ms",
            "heap MB",
            "resident MB",
            "open ms",
            "process start to ready ms"),
        rows);
  }

  private Table segments(Lab lab) throws Exception {
    List<List<Object>> rows = new ArrayList<>();
    for (int segments : lab.settings().growth().segments()) {
      Machine.progress(name() + ": " + segments + " segments");
      long records = (long) segments * SMALL.records() * SMALL.perSegment();
      LogPlan plan = new LogPlan("segments", 1, records, Shape.ABOUT_EVERY_MS, SMALL);
      Path data = lab.write("segments-" + segments, plan);
      double nanos = InProcess.nanos(data, plan, lab.settings());
      List<Object> row = new ArrayList<>(List.of(plan.segments(), records, nanos));
      row.addAll(started(lab, data, plan));
      rows.add(row);
      lab.remove(data);
    }
    return new Table(
        "Segments of one partition, calls of 1",
        List.of(
            "segments",
            "records",
            "ns a lookup, in process",
            "p50 ms",
            "p99 ms",
            "heap MB",
            "resident MB",
            "open ms",
            "process start to ready ms"),
        rows);
  }

  private static List<Object> started(Lab lab, Path data, LogPlan plan) throws Exception {
    try (WhenceServer server = WhenceServer.start(data)) {
      Sample sample = sample(lab, server, plan, 1, 1);
      ServerMemory memory = ServerMemory.afterCollection(server);
      return List.of(
          sample.p50Ms(),
          sample.p99Ms(),
          memory.heapBytes() / MEGABYTE,
          memory.residentBytes() / MEGABYTE,
          server.openMs(),
          server.startMs());
    }
  }

  private static Sample sample(
      Lab lab, WhenceServer server, LogPlan plan, int partitions, int connections)
      throws Exception {
    Settings settings = lab.settings();
    List<Question> questions = lab.questions(plan, partitions);
    try (LookupSession session =
        Lab.session(PeerKind.WHENCE_BYTES, server, questions, connections, 1)) {
      return new Rounds(settings.rounds(), settings.nanos())
          .measure(Map.of(PeerKind.WHENCE_BYTES, session), kind -> settings.nanos())
          .get(PeerKind.WHENCE_BYTES);
    }
  }

  private static Table partitions(Lab lab, WhenceServer server, LogPlan plan) throws Exception {
    List<List<Object>> rows = new ArrayList<>();
    for (int partitions : lab.settings().growth().partitions()) {
      Machine.progress("growth: calls of " + partitions);
      Sample sample = sample(lab, server, plan, partitions, 1);
      rows.add(
          List.of(
              partitions,
              sample.p50Ms(),
              sample.p99Ms(),
              sample.callsPerSecond() * partitions,
              sample.p50Ms() * 1e6 / partitions));
    }
    return new Table(
        "Partitions of a call, one call at a time",
        List.of("partitions", "p50 ms", "p99 ms", "lookups/s", "ns a lookup, at p50"),
        rows);
  }

  private static Table connections(Lab lab, WhenceServer server, LogPlan plan) throws Exception {
    List<List<Object>> rows = new ArrayList<>();
    int partitions = Math.min(CALL_OF_CONNECTIONS, plan.partitions());
    for (int connections : lab.settings().growth().connections()) {
      Machine.progress("growth: connections: " + connections);
      Sample sample = sample(lab, server, plan, partitions, connections);
      ServerMemory memory = ServerMemory.afterCollection(server);
      rows.add(
          List.of(
              connections,
              sample.p50Ms(),
              sample.p99Ms(),
              sample.callsPerSecond(),
              sample.callsPerSecond() * partitions,
              memory.heapBytes() / MEGABYTE,
              memory.residentBytes() / MEGABYTE));
    }
    return new Table(
        "Connections, each with one call of " + partitions + " at a time",
        List.of(
            "connections", "p50 ms", "p99 ms", "calls/s", "lookups/s", "heap MB", "resident MB"),
        rows);
  }
}
