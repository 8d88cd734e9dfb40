package io.whence.model;

import java.util.OptionalInt;

/**
 * Where and when a record was written.
 *
 * @param offset the offset of the record
 * @param timestampMs its own timestamp in epoch milliseconds; negative when it has none
 * @param timestampType who set the timestamp
 * @param partitionLeaderEpoch the leader epoch of its batch; negative when the batch does not say
 */
public record RecordStamp(
    long offset, long timestampMs, TimestampType timestampType, int partitionLeaderEpoch) {

  /** Returns whether the record has a time. Kafka writes -1 for none. */
  public boolean hasTimestamp() {
    return timestampMs >= 0;
  }

  /** Returns the leader epoch in which the record was written, if the batch says. */
  public OptionalInt leaderEpoch() {
    return partitionLeaderEpoch < 0 ? OptionalInt.empty() : OptionalInt.of(partitionLeaderEpoch);
  }
}
