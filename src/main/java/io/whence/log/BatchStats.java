package io.whence.log;

import io.whence.model.TimestampType;

/**
 * What an index keeps of one batch. Data records are those of batches that are not control batches;
 * timed ones have a timestamp of 0 or above. Thread safety: immutable.
 *
 * @param baseOffset smallest offset that the batch may hold
 * @param lastOffset largest offset that the batch may hold, inclusive
 * @param sizeBytes size in the file
 * @param headerMaxMs the maximum timestamp of its header, which compaction may have outdated
 * @param transaction its part in a transaction
 * @param recordCount how many data records it holds
 * @param timedCount how many of them have a timestamp
 * @param minMs the smallest timestamp of the timed ones; above {@code maxMs} when there are none
 * @param maxMs the largest timestamp of the timed ones
 * @param disorderMs the furthest that a timed record lies before an earlier one of the batch
 * @param records the data records
 */
record BatchStats(
    long baseOffset,
    long lastOffset,
    int sizeBytes,
    long headerMaxMs,
    TransactionEvent transaction,
    int recordCount,
    int timedCount,
    long minMs,
    long maxMs,
    long disorderMs,
    BatchRecords records) {

  /** Collects what {@link BatchStats} says of the timestamps, record by record. Single-writer. */
  static final class Timestamps {
    private final BatchRecords records;
    private int recordCount;
    private int timedCount;
    private long minMs = Long.MAX_VALUE;
    private long maxMs = Long.MIN_VALUE;
    private long disorderMs;

    Timestamps(TimestampType timestampType, int leaderEpoch) {
      records = new BatchRecords(timestampType, leaderEpoch);
    }

    /** Makes room for so many records at once. */
    Timestamps(TimestampType timestampType, int leaderEpoch, int capacity) {
      records = new BatchRecords(timestampType, leaderEpoch, capacity);
    }

    /** Adds a record at an offset that is relative to the base offset of the batch. */
    void add(int relativeOffset, long timestampMs) {
      records.add(relativeOffset, timestampMs);
      recordCount++;
      if (timestampMs < 0) {
        return;
      }
      timedCount++;
      if (timestampMs < maxMs) {
        disorderMs = Math.max(disorderMs, maxMs - timestampMs);
      }
      minMs = Math.min(minMs, timestampMs);
      maxMs = Math.max(maxMs, timestampMs);
    }

    BatchStats toStats(
        long baseOffset,
        long lastOffset,
        int sizeBytes,
        long headerMaxMs,
        TransactionEvent transaction) {
      return new BatchStats(
          baseOffset,
          lastOffset,
          sizeBytes,
          headerMaxMs,
          transaction,
          recordCount,
          timedCount,
          minMs,
          maxMs,
          disorderMs,
          records);
    }
  }
}
