package io.whence.bench.commit;

import java.util.ArrayList;
import java.util.List;

/**
 * What to measure, and for how long. Thread safety: immutable.
 *
 * @param cells in the order of the table
 * @param rounds how often each peer is measured in each cell
 * @param seconds how long one measurement of commits takes
 * @param warmUpSeconds how long each peer runs first, before all cells and, a fifth of it, before
 *     each
 */
record Plan(List<Cell> cells, int rounds, double seconds, double warmUpSeconds) {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final int WARM_UP_PARTITIONS = 100;
  private static final int BRIEF = 5;
  private static final double LEAST_SECONDS = 0.2;

  Plan {
    cells = cells.stream().distinct().toList();
    if (cells.isEmpty() || rounds < 1 || seconds <= 0 || warmUpSeconds <= 0) {
      throw new IllegalArgumentException(
          "needed: a size of calls, a number of callers, at least 1 round, more than 0 seconds");
    }
  }

  /** Returns all combinations, with as much time to warm up as for one measurement. */
  static Plan of(List<Integer> partitions, List<Integer> callers, int rounds, double seconds) {
    List<Cell> cells = new ArrayList<>();
    for (int ofCall : partitions) {
      callers.forEach(atATime -> cells.add(new Cell(ofCall, atATime)));
    }
    return new Plan(cells, rounds, seconds, seconds);
  }

  /** Returns what shows that all works, and roughly how fast. */
  static Plan quick() {
    return new Plan(
        List.of(new Cell(1, 1), new Cell(100, 4), new Cell(1000, 1), new Cell(1000, 16)),
        1,
        0.5,
        0.5);
  }

  /** Returns a cell to begin with that is not measured: what it commits is not met again. */
  Cell warmUp() {
    Cell cell = new Cell(WARM_UP_PARTITIONS, 4);
    while (cells.contains(cell)) {
      cell = new Cell(WARM_UP_PARTITIONS, cell.callers() + 1);
    }
    return cell;
  }

  /** Returns how long one measurement takes. */
  long nanos(Peer peer) {
    double brief = Math.min(seconds, Math.max(seconds / BRIEF, LEAST_SECONDS));
    return (long) (NANOS_PER_SECOND * (peer.isBrief() ? brief : seconds));
  }

  /** Returns how long a peer runs before all cells. */
  long warmUpNanos() {
    return (long) (NANOS_PER_SECOND * warmUpSeconds);
  }

  /** Returns how long a peer runs before a cell. */
  long warmUpNanosOfCell() {
    return warmUpNanos() / BRIEF;
  }

  /** Returns the largest number of partitions that one call commits. */
  int maxPartitions() {
    int measured = cells.stream().mapToInt(Cell::partitions).max().orElseThrow();
    return Math.max(measured, WARM_UP_PARTITIONS);
  }
}
