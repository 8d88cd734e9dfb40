package io.whence.bench.commit;

import io.whence.bench.Sample;

/**
 * One line of the table. Thread safety: immutable.
 *
 * @param cell the size of load
 * @param role what it stands for, in figures to come
 * @param peer what was measured, exactly
 * @param sample the medians over the rounds
 */
record Result(Cell cell, Role role, String peer, Sample sample) {
  /** What a peer stands for. */
  enum Role {
    /** Forces of a few bytes. */
    SMALL_FSYNC,
    /** Forces of as many bytes as a commit takes. */
    FSYNC,
    /** The smallest call. */
    SMALLEST_CALL,
    /** A call with the same entries that commits nothing. */
    NO_OP,
    /** Kafka. */
    KAFKA,
    /** Whence, a group for each caller. */
    WHENCE,
    /** Whence, one group. */
    WHENCE_ONE_GROUP
  }

  /** Returns how many offsets went through, or would have, in a second. */
  double entriesPerSecond() {
    return sample.callsPerSecond() * cell.partitions();
  }
}
