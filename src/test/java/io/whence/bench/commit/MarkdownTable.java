package io.whence.bench.commit;

import io.whence.bench.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The results as Markdown: a line for each peer of each cell. Thread safety: immutable.
 *
 * @param results what was measured
 */
record MarkdownTable(Results results) {
  private static final List<String> HEAD =
      List.of(
          "| partitions | callers | what | p50 ms | p99 ms | calls/s | entries/s "
              + "| p50: Whence ÷ this | p99: Whence ÷ this | calls/s: Whence ÷ this |",
          "| --: | --: | :-- | --: | --: | --: | --: | --: | --: | --: |");

  /** Returns the lines. */
  List<String> lines() {
    List<String> lines = new ArrayList<>(HEAD);
    for (Result result : results.all()) {
      if (result.role() == Result.Role.KAFKA) {
        lines.add(floor(result.cell()));
      }
      lines.add(line(result));
    }
    return lines;
  }

  /** The sum has no p99 and no throughput: these don't add up. */
  private String floor(Cell cell) {
    return String.format(
        Locale.ROOT,
        "| %,d | %d | sum: fsync of the same bytes + no-op with the same entries | %.3f |  |  |  "
            + "| %.2f |  |  |",
        cell.partitions(),
        cell.callers(),
        results.floorMs(cell, Result.Role.NO_OP),
        results.timesFloor(cell, Result.Role.NO_OP));
  }

  private String line(Result result) {
    Sample sample = result.sample();
    return String.format(
        Locale.ROOT,
        "| %,d | %d | %s | %.3f | %.3f | %,.0f | %s | %s |",
        result.cell().partitions(),
        result.cell().callers(),
        result.peer(),
        sample.p50Ms(),
        sample.p99Ms(),
        sample.callsPerSecond(),
        commits(result) ? String.format(Locale.ROOT, "%,.0f", result.entriesPerSecond()) : "",
        ratios(result));
  }

  private static boolean commits(Result result) {
    return switch (result.role()) {
      case KAFKA, WHENCE, WHENCE_ONE_GROUP -> true;
      case SMALL_FSYNC, FSYNC, SMALLEST_CALL, NO_OP -> false;
    };
  }

  private String ratios(Result result) {
    Sample whence = results.whence(result.cell()).sample();
    Sample other = result.sample();
    return String.format(
        Locale.ROOT,
        "%.2f | %.2f | %.2f",
        whence.p50Ms() / other.p50Ms(),
        whence.p99Ms() / other.p99Ms(),
        whence.callsPerSecond() / other.callsPerSecond());
  }
}
