package io.whence.bench.commit;

/**
 * One size of load. Thread safety: immutable.
 *
 * @param partitions how many offsets a call commits
 * @param callers how many calls are under way at a time
 */
record Cell(int partitions, int callers) {
  Cell {
    if (partitions < 1 || callers < 1) {
      throw new IllegalArgumentException(
          "at least 1 is needed: partitions=" + partitions + " callers=" + callers);
    }
  }
}
