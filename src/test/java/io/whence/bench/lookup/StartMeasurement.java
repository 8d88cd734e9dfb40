package io.whence.bench.lookup;

import io.whence.bench.Machine;
import io.whence.bench.WhenceServer;
import io.whence.bench.data.LogPlan;
import io.whence.bench.data.Shape;
import io.whence.bench.report.Goal;
import io.whence.bench.report.Section;
import io.whence.bench.report.Table;
import io.whence.record.CompressionCodec;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** A start with very many segments, against reading its index files. Thread safety: immutable. */
record StartMeasurement() implements Measurement {
  private static final LogPlan.Batches SMALL =
      new LogPlan.Batches(CompressionCodec.LZ4, 100, 10, 0);
  private static final List<String> COLUMNS =
      List.of(
          "page cache",
          "index files",
          "MB",
          "cat ms",
          "open ms",
          "open ÷ cat",
          "process start to ready ms");
  private static final int PARTITIONS = 10;
  private static final double MOST_TIMES_CAT = 3;

  @Override
  public String name() {
    return "start";
  }

  @Override
  public Section measure(Lab lab) throws Exception {
    Map<String, String> conditions = lab.conditions();
    lab.closeServers();
    LogPlan plan = plan(lab.settings().growth().segments());
    long segments = plan.segments() * PARTITIONS;
    Machine.progress(name() + ": writing " + segments + " segments");
    Path data = lab.write("start", plan);
    List<List<Object>> rows = new ArrayList<>();
    List<Goal> goals = new ArrayList<>();
    for (boolean dropped : List.of(false, true)) {
      addRow(lab, data, dropped, rows, goals);
    }
    lab.remove(data);
    String title = "Start with %,d segments in %d partitions".formatted(segments, PARTITIONS);
    return new Section(
        name(),
        conditions,
        List.of(new Table(title, COLUMNS, rows)),
        goals,
        List.of(
            "open: from when the server begins to open its sources until it is ready, by its own"
                + " log; before that a Java server starts as it does without data",
            "page cache " + lab.pageCache().title()));
  }

  private static LogPlan plan(List<Integer> sizes) {
    int segments = Math.max(1, sizes.get(sizes.size() - 1) / PARTITIONS);
    long records = (long) segments * SMALL.records() * SMALL.perSegment();
    return new LogPlan("segments", PARTITIONS, records, Shape.ABOUT_EVERY_MS, SMALL);
  }

  private void addRow(
      Lab lab, Path data, boolean dropped, List<List<Object>> rows, List<Goal> goals)
      throws Exception {
    int rounds = lab.settings().rounds();
    double[] cat = new double[rounds];
    double[] open = new double[rounds];
    double[] start = new double[rounds];
    IndexFiles files = IndexFiles.of(data);
    for (int i = 0; i < rounds; i++) {
      Machine.progress(name() + (dropped ? ", page cache dropped" : ", page cache warm"));
      if (dropped) {
        lab.dropPageCache();
      }
      cat[i] = files.catMs();
      if (dropped) {
        lab.dropPageCache();
      }
      WhenceServer server = WhenceServer.start(data);
      open[i] = server.openMs();
      start[i] = server.startMs();
      server.stop();
    }
    double ratio = middle(open) / middle(cat);
    rows.add(
        List.of(
            dropped ? "dropped" : "warm",
            files.count(),
            files.bytes() / 1e6,
            middle(cat),
            middle(open),
            ratio,
            middle(start)));
    goals.add(
        Goal.atMost(
            MOST_TIMES_CAT,
            "start with %,d segments, page cache %s"
                .formatted(files.count(), dropped ? "dropped" : "warm"),
            "cat of its index files",
            ratio));
  }

  private static double middle(double[] figures) {
    double[] sorted = figures.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }
}
