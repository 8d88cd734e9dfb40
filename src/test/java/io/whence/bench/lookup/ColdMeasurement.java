package io.whence.bench.lookup;

import io.whence.bench.Load;
import io.whence.bench.Machine;
import io.whence.bench.Sample;
import io.whence.bench.data.LogPlan;
import io.whence.bench.report.Section;
import io.whence.bench.report.Table;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The first call after the page cache was dropped, again and again: how long it takes when files
 * have to be read. Thread safety: immutable.
 */
record ColdMeasurement() implements Measurement {
  private static final List<PeerKind> PEERS = List.of(PeerKind.KAFKA, PeerKind.WHENCE);
  private static final int REPEATS_PER_ROUND = 3;

  @Override
  public String name() {
    return "cold";
  }

  @Override
  public Section measure(Lab lab) throws Exception {
    Map<String, String> conditions = lab.conditions();
    List<List<Object>> rows = new ArrayList<>();
    lab.warmUp();
    for (int partitions : lab.settings().partitions()) {
      for (LogPlan plan : lab.plans()) {
        Machine.progress(name() + ": calls of " + partitions + ", topic " + plan.topic());
        addRows(rows, lab, plan, partitions);
      }
    }
    String cache = "page cache " + lab.pageCache().title();
    return new Section(
        name(),
        conditions,
        List.of(
            new Table(
                "The first call after the page cache was dropped",
                List.of("partitions", "topic", "peer", "p50 ms", "slowest ms", "p50 ÷ Whence's"),
                rows)),
        List.of(),
        List.of(
            cache
                + " before each call; what a process has mapped and used stays, so Kafka keeps"
                + " its indexes: see the restart below for those"));
  }

  private static void addRows(List<List<Object>> rows, Lab lab, LogPlan plan, int partitions)
      throws Exception {
    Map<PeerKind, LookupSession> sessions = new EnumMap<>(PeerKind.class);
    Map<PeerKind, long[]> nanos = new EnumMap<>(PeerKind.class);
    int repeats = REPEATS_PER_ROUND * lab.settings().rounds();
    try {
      List<Question> questions = lab.questions(plan, partitions);
      for (PeerKind kind : PEERS) {
        sessions.put(kind, lab.session(kind, questions, 1));
        nanos.put(kind, new long[repeats]);
        Load.run(sessions.get(kind).callers(), lab.settings().warmUpNanos());
      }
      for (int i = 0; i < repeats; i++) {
        for (PeerKind kind : PEERS) {
          lab.dropPageCache();
          nanos.get(kind)[i] = one(sessions.get(kind).callers().get(0));
        }
      }
    } finally {
      sessions.values().forEach(LookupSession::close);
    }
    double ours = Sample.of(nanos.get(PeerKind.WHENCE), 1).p50Ms();
    for (PeerKind kind : PEERS) {
      Sample sample = Sample.of(nanos.get(kind), 1);
      rows.add(
          List.of(
              partitions,
              plan.topic(),
              kind.title(),
              sample.p50Ms(),
              sample.p99Ms(),
              sample.p50Ms() / ours));
    }
  }

  private static long one(LookupCaller caller) throws Exception {
    caller.prepare();
    long began = System.nanoTime();
    caller.call();
    long taken = System.nanoTime() - began;
    caller.check();
    return taken;
  }
}
