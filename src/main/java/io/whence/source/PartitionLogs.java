package io.whence.source;

import io.whence.log.LogSnapshot;

/**
 * The logs of one topic, found once and then asked by number: without a lock, and without garbage
 * for each partition. Those of a topic that is deleted go on as they were. Thread safety:
 * implementations are thread-safe.
 */
public interface PartitionLogs {
  /**
   * Returns how many partitions the topic has: one more than the highest number. Always the same; a
   * topic that grows has other logs from then on.
   */
  int count();

  /**
   * Returns the log of a partition as it is at this moment.
   *
   * @param partition 0 or above
   * @throws io.whence.model.WhenceException with {@code UNKNOWN_PARTITION} if there is none, or
   *     with the reason why it can't be read
   */
  LogSnapshot snapshot(int partition);

  /**
   * Returns for how long, in milliseconds, the log of a partition may have gone on without this
   * being seen.
   *
   * @param partition one that has a snapshot
   * @param ofSource what {@link LogSource#stalenessMs} says, which holds unless partitions differ
   */
  default long stalenessMs(int partition, long ofSource) {
    return ofSource;
  }
}
