package io.whence.bench.commit;

import io.whence.bench.Session;

/** What is measured: the commits of Whence, or what they are compared with. */
interface Peer {
  /** Returns whether it can be measured in a cell. */
  default boolean fits(Cell cell) {
    return true;
  }

  /** Returns whether a short measurement tells as much: it neither waits for others nor queues. */
  default boolean isBrief() {
    return false;
  }

  /** Opens what it needs for a cell. */
  Session open(Cell cell) throws Exception;

  /** Returns the name for the table, exactly what it is. */
  String name(Cell cell);
}
