package io.whence.bench.data;

import io.whence.record.CompressionCodec;
import java.util.OptionalLong;

/**
 * The records of a topic. Partitions differ in when their first record was made, or a machine could
 * learn the way through all of them from one. Thread safety: immutable.
 *
 * @param topic the name of the topic
 * @param partitions how many partitions it has
 * @param records how many records each has
 * @param shape when they were made
 * @param batches how they are packed
 */
public record LogPlan(String topic, int partitions, long records, Shape shape, Batches batches) {
  private static final int SHIFT_MS = 37;

  /** Validates. */
  public LogPlan {
    if (partitions < 1 || records < 1) {
      throw new IllegalArgumentException("at least one record in one partition is needed");
    }
  }

  /**
   * How records are packed.
   *
   * @param codec how batches are compressed
   * @param records how many records a batch has
   * @param perSegment how many batches a segment has
   * @param valueBytes how long the value of a record is
   */
  public record Batches(CompressionCodec codec, int records, int perSegment, int valueBytes) {
    /** Validates. */
    public Batches {
      if (records < 1 || perSegment < 1 || valueBytes < 0) {
        throw new IllegalArgumentException("a segment has a batch, and a batch a record");
      }
    }
  }

  /** Returns how many segments each partition has. */
  public long segments() {
    long ofSegment = (long) batches.records() * batches.perSegment();
    return (records + ofSegment - 1) / ofSegment;
  }

  /** Returns how much later the records of a partition were made than those of the first one. */
  long shiftMs(int partition) {
    return (long) SHIFT_MS * partition % (1 + spanMs() / 2);
  }

  private long spanMs() {
    return shape.timestampMs(records - 1) - Shape.BASE_MS;
  }

  /**
   * Returns a time that lies within the log of each partition.
   *
   * @param fraction where, from 0 to 1
   */
  public long timestampMs(double fraction) {
    long firstMs = partitions == 1 ? 0 : spanMs() / 2;
    return Shape.BASE_MS + firstMs + (long) (fraction * (spanMs() - firstMs));
  }

  /** Returns the offset of the first record at or after a time, if there is one. */
  public OptionalLong expectedOffset(int partition, long timestampMs) {
    return shape.firstAtOrAfter(timestampMs - shiftMs(partition), records);
  }
}
