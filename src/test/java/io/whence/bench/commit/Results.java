package io.whence.bench.commit;

import java.util.List;
import java.util.Optional;

/**
 * All lines of the table. Thread safety: immutable.
 *
 * @param all in the order of the table
 */
record Results(List<Result> all) {
  Results {
    all = List.copyOf(all);
  }

  /** Returns a line. */
  Optional<Result> find(Cell cell, Result.Role role) {
    return all.stream()
        .filter(result -> result.cell().equals(cell) && result.role() == role)
        .findFirst();
  }

  /** Returns the commits of Whence that the others of a cell are compared with. */
  Result whence(Cell cell) {
    return find(cell, Result.Role.WHENCE).orElseThrow();
  }

  /** Returns the least time that a durable commit can take: a force, and a call without one. */
  double floorMs(Cell cell, Result.Role call) {
    return find(cell, Result.Role.FSYNC).orElseThrow().sample().p50Ms()
        + find(cell, call).orElseThrow().sample().p50Ms();
  }

  /** Returns how many times that the median commit of Whence takes. */
  double timesFloor(Cell cell, Result.Role call) {
    return whence(cell).sample().p50Ms() / floorMs(cell, call);
  }
}
