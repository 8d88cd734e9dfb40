package io.whence.bench.lookup;

import io.whence.bench.Machine;
import io.whence.bench.Rounds;
import io.whence.bench.Sample;
import io.whence.bench.data.LogPlan;
import io.whence.bench.report.Goal;
import io.whence.bench.report.Section;
import io.whence.bench.report.Table;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Sixteen calls at a time, of as many partitions as possible. Thread safety: immutable. */
record ThroughputMeasurement() implements Measurement {
  private static final int CALLERS = 16;
  private static final int LONGER = 2;
  private static final double LEAST_TIMES_KAFKA = 50;

  @Override
  public String name() {
    return "throughput";
  }

  @Override
  public Section measure(Lab lab) throws Exception {
    Map<String, String> conditions = lab.conditions();
    List<List<Object>> rows = new ArrayList<>();
    List<Goal> goals = new ArrayList<>();
    int partitions = lab.settings().maxPartitions();
    lab.warmUp();
    // The easiest and the hardest to look up.
    for (LogPlan plan : List.of(lab.plans().get(0), lab.plans().get(3))) {
      Machine.progress(name() + ": topic " + plan.topic());
      Map<PeerKind, Sample> samples = measure(lab, plan, partitions);
      samples.forEach((kind, sample) -> rows.add(row(partitions, plan, kind, samples)));
      goals.add(goal(partitions, plan, samples, PeerKind.WHENCE, PeerKind.KAFKA));
      goals.add(goal(partitions, plan, samples, PeerKind.WHENCE_BYTES, PeerKind.KAFKA_BYTES));
    }
    return new Section(
        name(),
        conditions,
        List.of(
            new Table(
                CALLERS + " calls at a time",
                List.of(
                    "partitions",
                    "topic",
                    "peer",
                    "calls/s",
                    "lookups/s",
                    "p50 ms",
                    "p99 ms",
                    "Whence's lookups/s ÷ this"),
                rows)),
        goals,
        List.of(
            "Kafka: an admin client, or a socket, for each caller; Whence: a connection for every 4."
                + " Clients and servers share the processors; with bytes, clients take little of"
                + " them."));
  }

  private static Map<PeerKind, Sample> measure(Lab lab, LogPlan plan, int partitions)
      throws Exception {
    Map<PeerKind, LookupSession> sessions = new EnumMap<>(PeerKind.class);
    try {
      List<Question> questions = lab.questions(plan, partitions);
      for (PeerKind kind : PeerKind.values()) {
        sessions.put(kind, lab.session(kind, questions, CALLERS));
      }
      Settings settings = lab.settings();
      return new Rounds(settings.rounds(), settings.nanos())
          .measure(new LinkedHashMap<>(sessions), kind -> settings.nanos() * LONGER);
    } finally {
      sessions.values().forEach(LookupSession::close);
    }
  }

  private static List<Object> row(
      int partitions, LogPlan plan, PeerKind kind, Map<PeerKind, Sample> samples) {
    Sample sample = samples.get(kind);
    return List.of(
        partitions,
        plan.topic(),
        kind.title(),
        sample.callsPerSecond(),
        sample.callsPerSecond() * partitions,
        sample.p50Ms(),
        sample.p99Ms(),
        samples.get(kind.comparedWith()).callsPerSecond() / sample.callsPerSecond());
  }

  private static Goal goal(
      int partitions, LogPlan plan, Map<PeerKind, Sample> samples, PeerKind ours, PeerKind theirs) {
    return Goal.atLeast(
        LEAST_TIMES_KAFKA,
        "lookups/s, %d calls of %,d, %s".formatted(CALLERS, partitions, plan.topic()),
        theirs == PeerKind.KAFKA ? "Kafka" : "Kafka, both as bytes",
        samples.get(ours).callsPerSecond() / samples.get(theirs).callsPerSecond());
  }
}
