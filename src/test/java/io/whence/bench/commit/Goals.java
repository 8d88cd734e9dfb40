package io.whence.bench.commit;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What durable commits are to reach, and what they have reached. Thread safety: immutable.
 *
 * @param results what was measured
 */
record Goals(Results results) {
  private static final double MOST_TIMES_FLOOR = 1.3;
  private static final double LEAST_TIMES_KAFKA = 1;
  private static final List<Cell> LATENCY = List.of(new Cell(1, 1), new Cell(1000, 1));
  private static final Cell THROUGHPUT = new Cell(1000, 16);

  /** Returns a line for each goal whose cell was measured. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    for (Cell cell : LATENCY) {
      if (isMeasured(cell)) {
        lines.add(latency(cell));
      }
    }
    if (isMeasured(THROUGHPUT)) {
      lines.add(throughput());
    }
    return lines;
  }

  private boolean isMeasured(Cell cell) {
    return results.find(cell, Result.Role.WHENCE).isPresent();
  }

  private String latency(Cell cell) {
    double reached = results.timesFloor(cell, Result.Role.NO_OP);
    return String.format(
        Locale.ROOT,
        "%s: 1 caller, calls of %,d: p50 <= %.1f x (fsync + no-op); reached %.2f x"
            + " (%.3f ms against %.3f ms); with ListGroups as the no-op %.2f x",
        reached <= MOST_TIMES_FLOOR ? "met" : "NOT MET",
        cell.partitions(),
        MOST_TIMES_FLOOR,
        reached,
        results.whence(cell).sample().p50Ms(),
        results.floorMs(cell, Result.Role.NO_OP),
        results.timesFloor(cell, Result.Role.SMALLEST_CALL));
  }

  private String throughput() {
    double ours = results.whence(THROUGHPUT).entriesPerSecond();
    double theirs = results.find(THROUGHPUT, Result.Role.KAFKA).orElseThrow().entriesPerSecond();
    return String.format(
        Locale.ROOT,
        "%s: %d callers, calls of %,d: entries/s >= %.0f x Kafka's; reached %.2f x"
            + " (%,.0f against %,.0f)",
        ours >= LEAST_TIMES_KAFKA * theirs ? "met" : "NOT MET",
        THROUGHPUT.callers(),
        THROUGHPUT.partitions(),
        LEAST_TIMES_KAFKA,
        ours / theirs,
        ours,
        theirs);
  }
}
