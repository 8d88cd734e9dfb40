package io.whence.bench.lookup;

import java.util.List;

/**
 * How much to measure. Thread safety: immutable.
 *
 * @param partitions sizes of calls, in the comparison with Kafka
 * @param rounds how often each peer is measured in each cell
 * @param seconds how long each of these takes
 * @param topicRecords how many records each partition has, in the comparison with Kafka
 * @param growth how far the curves go
 */
record Settings(
    List<Integer> partitions, int rounds, double seconds, long topicRecords, Growth growth) {
  private static final double NANOS_PER_SECOND = 1e9;

  Settings {
    partitions = List.copyOf(partitions);
    if (partitions.isEmpty() || rounds < 1 || seconds <= 0 || topicRecords < 1) {
      throw new IllegalArgumentException(
          "needed: a size of calls, at least 1 round, more than 0 seconds, and 1 record");
    }
    if (partitions.stream().anyMatch(size -> size < 1 || size > 1000)) {
      throw new IllegalArgumentException("a call has 1 to 1,000 partitions: " + partitions);
    }
  }

  /**
   * How far the curves go.
   *
   * @param records records in a partition
   * @param segments segments in a partition
   * @param partitions partitions of a call
   * @param connections connections at a time
   * @param restarts how often the server is started again, with the page cache warm and cold
   * @param memoryRecords records of a timeline whose memory is measured
   */
  record Growth(
      List<Long> records,
      List<Integer> segments,
      List<Integer> partitions,
      List<Integer> connections,
      int restarts,
      int memoryRecords) {
    /** Of the issue. */
    static final Growth FULL =
        new Growth(
            List.of(1_000_000L, 10_000_000L, 100_000_000L),
            List.of(10, 1000, 10_000),
            List.of(1, 10, 100, 1000, 10_000),
            List.of(1, 4, 16, 64, 256),
            3,
            10_000_000);

    /** Shows that it works. */
    static final Growth QUICK =
        new Growth(List.of(100_000L), List.of(20), List.of(1, 100), List.of(1, 8), 1, 500_000);

    /** Returns the same, with fewer records. */
    Growth upTo(long most) {
      return new Growth(
          records.stream().filter(count -> count <= most).toList(),
          segments,
          partitions,
          connections,
          restarts,
          memoryRecords);
    }

    Growth {
      records = List.copyOf(records);
      segments = List.copyOf(segments);
      partitions = List.copyOf(partitions);
      connections = List.copyOf(connections);
    }
  }

  /** Returns what shows that all works, and roughly how fast. */
  static Settings quick() {
    return new Settings(List.of(1, 50), 1, 0.15, 1000, Growth.QUICK);
  }

  /** Returns the largest number of partitions of a call in the comparison with Kafka. */
  int maxPartitions() {
    return partitions.stream().mapToInt(size -> size).max().orElseThrow();
  }

  /** Returns how long one measurement takes. */
  long nanos() {
    return (long) (seconds * NANOS_PER_SECOND);
  }

  /** Returns how long a peer runs before a cell. */
  long warmUpNanos() {
    return nanos() / 2;
  }
}
