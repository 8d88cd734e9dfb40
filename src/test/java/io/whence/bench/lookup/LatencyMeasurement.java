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

/** One call at a time, with the page cache warm: how long it takes. Thread safety: immutable. */
record LatencyMeasurement() implements Measurement {
  private static final Map<Integer, Double> LEAST_TIMES_KAFKA =
      Map.of(1, 3.0, 100, 20.0, 1000, 30.0);
  private static final Map<Integer, Double> MOST_TIMES_NO_OP = Map.of(1, 1.3, 100, 1.5, 1000, 1.8);

  @Override
  public String name() {
    return "latency";
  }

  @Override
  public Section measure(Lab lab) throws Exception {
    Map<String, String> conditions = lab.conditions();
    List<List<Object>> rows = new ArrayList<>();
    List<Goal> goals = new ArrayList<>();
    lab.warmUp();
    for (int partitions : lab.settings().partitions()) {
      for (LogPlan plan : lab.plans()) {
        Machine.progress(name() + ": calls of " + partitions + ", topic " + plan.topic());
        Map<PeerKind, Sample> samples = measure(lab, plan, partitions);
        samples.forEach((kind, sample) -> rows.add(row(partitions, plan, kind, samples)));
        addGoals(goals, partitions, plan, samples);
      }
    }
    return new Section(
        name(),
        conditions,
        List.of(
            new Table(
                "One call at a time, page cache warm",
                List.of(
                    "partitions",
                    "topic",
                    "peer",
                    "p50 ms",
                    "p99 ms",
                    "p50 ÷ Whence's",
                    "p99 ÷ Whence's"),
                rows)),
        goals,
        List.of(
            "÷ Whence's: above 1, Whence is faster. Kafka's own client is compared with our generated"
                + " client; bytes with bytes."));
  }

  private static Map<PeerKind, Sample> measure(Lab lab, LogPlan plan, int partitions)
      throws Exception {
    Map<PeerKind, LookupSession> sessions = new EnumMap<>(PeerKind.class);
    try {
      List<Question> questions = lab.questions(plan, partitions);
      for (PeerKind kind : PeerKind.values()) {
        sessions.put(kind, lab.session(kind, questions, 1));
      }
      Settings settings = lab.settings();
      return new Rounds(settings.rounds(), settings.warmUpNanos())
          .measure(new LinkedHashMap<>(sessions), kind -> settings.nanos());
    } finally {
      sessions.values().forEach(LookupSession::close);
    }
  }

  private static List<Object> row(
      int partitions, LogPlan plan, PeerKind kind, Map<PeerKind, Sample> samples) {
    Sample sample = samples.get(kind);
    Sample ours = samples.get(kind.comparedWith());
    return List.of(
        partitions,
        plan.topic(),
        kind.title(),
        sample.p50Ms(),
        sample.p99Ms(),
        sample.p50Ms() / ours.p50Ms(),
        sample.p99Ms() / ours.p99Ms());
  }

  private static void addGoals(
      List<Goal> goals, int partitions, LogPlan plan, Map<PeerKind, Sample> samples) {
    if (!LEAST_TIMES_KAFKA.containsKey(partitions)) {
      return;
    }
    String call = "call of %,d, %s, ".formatted(partitions, plan.topic());
    double faster = LEAST_TIMES_KAFKA.get(partitions);
    double most = MOST_TIMES_NO_OP.get(partitions);
    for (boolean p99 : List.of(false, true)) {
      String what = call + (p99 ? "p99" : "p50");
      goals.add(
          Goal.atLeast(
              faster,
              what + ": times faster",
              "Kafka",
              times(samples, PeerKind.KAFKA, PeerKind.WHENCE, p99)));
      goals.add(
          Goal.atMost(most, what, "no-op", times(samples, PeerKind.WHENCE, PeerKind.NO_OP, p99)));
      goals.add(
          Goal.atMost(
              most,
              what,
              "no-op, both as bytes",
              times(samples, PeerKind.WHENCE_BYTES, PeerKind.NO_OP_BYTES, p99)));
    }
  }

  private static double times(
      Map<PeerKind, Sample> samples, PeerKind longer, PeerKind shorter, boolean p99) {
    Sample dividend = samples.get(longer);
    Sample divisor = samples.get(shorter);
    return p99 ? dividend.p99Ms() / divisor.p99Ms() : dividend.p50Ms() / divisor.p50Ms();
  }
}
