package io.whence.bench.lookup;

import io.whence.bench.Channels;
import io.whence.bench.FileReads;
import io.whence.bench.Machine;
import io.whence.bench.ProcessFigures;
import io.whence.bench.Sample;
import io.whence.bench.WhenceServer;
import io.whence.bench.data.LogPlan;
import io.whence.bench.report.Goal;
import io.whence.bench.report.Section;
import io.whence.bench.report.Table;
import io.whence.testkit.KafkaBroker;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;

/**
 * The first lookups after a restart, with the page cache as it was and dropped, and what the server
 * reads for them: counted by the kernel. Thread safety: immutable.
 */
record RestartMeasurement() implements Measurement {
  private static final List<String> COLUMNS =
      List.of(
          "what",
          "p50 ms",
          "p99 ms",
          "major page faults",
          "bytes read from the disk",
          "read calls per call, sockets included");
  private static final int FIRST = 300;
  private static final int LATER = 3000;
  private static final double MOST_TIMES_WARM = 2;

  /**
   * What was measured after restarts.
   *
   * @param nanos how long each call took
   * @param counted what the kernel counted, in sum
   */
  private record Calls(long[] nanos, ProcessFigures counted) {
    static Calls sum(List<Calls> all) {
      return new Calls(
          all.stream().flatMapToLong(calls -> Arrays.stream(calls.nanos())).toArray(),
          new ProcessFigures(
              all.stream().mapToLong(calls -> calls.counted().majorFaults()).sum(),
              all.stream().mapToLong(calls -> calls.counted().readCalls()).sum(),
              all.stream().mapToLong(calls -> calls.counted().storageBytes()).sum(),
              0,
              0));
    }

    Sample sample() {
      return Sample.of(nanos, 1);
    }
  }

  /** Asks. */
  private interface Asking {
    void ask(int question) throws Exception;
  }

  @Override
  public String name() {
    return "restart";
  }

  @Override
  public Section measure(Lab lab) throws Exception {
    Map<String, String> conditions = lab.conditions();
    LogPlan plan = lab.plans().get(3);
    List<Calls> warm = new ArrayList<>();
    List<Calls> cold = new ArrayList<>();
    List<Calls> later = new ArrayList<>();
    lab.kafka();
    for (int i = 0; i < lab.settings().growth().restarts(); i++) {
      Machine.progress(name() + " of Whence, round " + (i + 1));
      warm.add(first(lab, plan, false));
      cold.add(first(lab, plan, true));
      warmUp(lab, plan);
      lab.dropPageCache();
      later.add(counted(lab.whence(), plan, LATER));
    }
    Optional<List<String>> reads = countReads(lab, plan);
    List<List<Object>> rows = new ArrayList<>();
    String first = "Whence, first " + FIRST + " after a restart, page cache ";
    rows.add(row(first + "warm", Calls.sum(warm)));
    rows.add(row(first + "dropped", Calls.sum(cold)));
    rows.add(row("Whence, " + LATER + " later ones, page cache dropped again", Calls.sum(later)));
    addKafka(rows, lab, plan);
    String title = "First lookups after a restart: calls of 1, one at a time, topic ";
    return new Section(
        name(),
        conditions,
        List.of(new Table(title + plan.topic(), COLUMNS, rows)),
        goals(lab, Calls.sum(warm), Calls.sum(cold), Calls.sum(later), reads),
        notes(lab, reads));
  }

  private static void addKafka(List<List<Object>> rows, Lab lab, LogPlan plan) throws Exception {
    // A broker takes long to stop and start.
    if (lab.settings().growth().restarts() > 1) {
      rows.add(kafkaRow(lab, plan, false));
      rows.add(kafkaRow(lab, plan, true));
    }
  }

  private static List<String> notes(Lab lab, Optional<List<String>> reads) {
    return List.of(
        "page cache " + lab.pageCache().title() + ", between the stop and the start",
        "page faults and bytes are those of the whole process: after a restart some are those of"
            + " Java itself, whose code is read when it is first needed",
        reads
            .map(
                files ->
                    "files opened, mapped or read during %d lookups, by strace: %s"
                        .formatted(LATER, files.isEmpty() ? "none" : names(files).toString()))
            .orElse("there is no strace here that may look for file reads"));
  }

  private static SortedSet<String> names(List<String> files) {
    SortedSet<String> names = new TreeSet<>();
    files.forEach(file -> names.add(file.substring(file.lastIndexOf('/') + 1)));
    return names;
  }

  private static List<Goal> goals(
      Lab lab, Calls warm, Calls cold, Calls later, Optional<List<String>> reads) {
    List<Goal> goals = new ArrayList<>();
    goals.add(
        Goal.atMost(
            MOST_TIMES_WARM,
            "first lookups after a restart, page cache dropped, p99",
            "page cache warm",
            cold.sample().p99Ms() / warm.sample().p99Ms()));
    goals.add(
        Goal.atMost(
            0,
            "first lookups after a restart, page cache dropped",
            "major page faults",
            cold.counted().majorFaults()));
    goals.add(
        Goal.atMost(0, "preloaded lookups", "major page faults", later.counted().majorFaults()));
    reads.ifPresent(
        files ->
            goals.add(
                Goal.atMost(
                    0,
                    "preloaded lookups",
                    "calls that open, map or read logs or indexes",
                    files.stream().filter(lab::isOfLogs).count())));
    return goals;
  }

  private static Calls first(Lab lab, LogPlan plan, boolean dropped) throws Exception {
    lab.whence();
    lab.stopWhence();
    if (dropped) {
      lab.dropPageCache();
    }
    return counted(lab.whence(), plan, FIRST);
  }

  /** Lets the server load and compile all classes that lookups need. */
  private static void warmUp(Lab lab, LogPlan plan) throws Exception {
    counted(lab.whence(), plan, LATER);
  }

  private static Calls counted(WhenceServer server, LogPlan plan, int count) throws Exception {
    List<Question> questions = Question.of(plan, 1, FIRST);
    try (Channels channels = Channels.open(server.port(), 1)) {
      BytesClient client = BytesClient.ofWhence(channels.of(0), questions);
      // Connects; not a lookup.
      BytesClient.ofNoOp(channels.of(0), questions).ask(0);
      ProcessFigures before = ProcessFigures.of(server.pid());
      long[] nanos = ask(client::ask, count);
      ProcessFigures counted = ProcessFigures.of(server.pid()).since(before);
      for (int i = 0; i < questions.size(); i++) {
        client.ask(i);
        questions.get(i).check(client.offsets(), "Whence");
      }
      return new Calls(nanos, counted);
    }
  }

  private static long[] ask(Asking asking, int count) throws Exception {
    long[] nanos = new long[count];
    for (int i = 0; i < count; i++) {
      long began = System.nanoTime();
      asking.ask(i % FIRST);
      nanos[i] = System.nanoTime() - began;
    }
    return nanos;
  }

  private static Optional<List<String>> countReads(Lab lab, LogPlan plan) throws Exception {
    WhenceServer server = lab.whence();
    List<Question> questions = Question.of(plan, 1, FIRST);
    try (Channels channels = Channels.open(server.port(), 1)) {
      BytesClient client = BytesClient.ofWhence(channels.of(0), questions);
      ask(client::ask, LATER);
      return FileReads.during(server.pid(), () -> ask(client::ask, LATER));
    }
  }

  private static List<Object> kafkaRow(Lab lab, LogPlan plan, boolean dropped) throws Exception {
    Machine.progress("restart of Kafka" + (dropped ? ", page cache dropped" : ""));
    KafkaBroker broker = lab.kafka();
    broker.stop();
    if (dropped) {
      lab.dropPageCache();
    }
    broker.restart();
    lab.awaitLeaders(broker);
    List<Question> questions = Question.of(plan, 1, FIRST);
    try (Admin admin = broker.admin()) {
      admin.listTopics().names().get(60, TimeUnit.SECONDS);
      AdminClient client = new AdminClient(admin, questions);
      Sample sample = Sample.of(ask(client::ask, FIRST), 1);
      questions.get((FIRST - 1) % FIRST).check(client.offsets(), "Kafka");
      return List.of(
          "Kafka, first "
              + FIRST
              + " after a restart, page cache "
              + (dropped ? "dropped" : "warm"),
          sample.p50Ms(),
          sample.p99Ms(),
          "",
          "",
          "");
    }
  }

  private static List<Object> row(String what, Calls calls) {
    Sample sample = calls.sample();
    return List.of(
        what,
        sample.p50Ms(),
        sample.p99Ms(),
        calls.counted().majorFaults(),
        calls.counted().storageBytes(),
        (double) calls.counted().readCalls() / calls.nanos().length);
  }
}
