package io.whence.commit;

import java.util.Map;

/** The topic that offsets are committed to, as in Kafka. */
public final class OffsetsTopic {
  /** Its name. */
  public static final String NAME = "__consumer_offsets";

  /** How many partitions it has where this server makes it; Kafka's default. */
  public static final int PARTITION_COUNT = 50;

  /** Largest size of a batch: what is written of one request at once. */
  static final int LARGEST_BATCH_BYTES = 32 << 20;

  private OffsetsTopic() {}

  /** Returns the partition that keeps a group, by Kafka's rule. */
  public static int partitionFor(String group, int partitionCount) {
    int hash = group.hashCode();
    // Not Math.abs: Kafka has 0 for the smallest int, which has no positive counterpart.
    return (hash == Integer.MIN_VALUE ? 0 : Math.abs(hash)) % partitionCount;
  }

  /**
   * Returns the settings of the topic. Nothing expires by the age of a segment.
   *
   * @param segmentBytes largest size of a segment: what a start may have to read of each partition
   *     beyond what is live
   */
  static Map<String, String> settings(int segmentBytes) {
    return Map.of(
        "segment.bytes",
        Integer.toString(segmentBytes),
        "segment.ms",
        Long.toString(Long.MAX_VALUE),
        "retention.ms",
        "-1",
        "retention.bytes",
        "-1",
        "max.message.bytes",
        Integer.toString(LARGEST_BATCH_BYTES));
  }
}
