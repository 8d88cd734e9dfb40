package io.whence.source.kafka.fetch;

/**
 * Where a partition is to be fetched from.
 *
 * @param nextOffset the offset of the next record that is wanted
 * @param lastEpoch the leader epoch of the last batch that is there already, from which the leader
 *     sees whether its own log has the same history; -1 for none
 */
public record FetchPosition(long nextOffset, int lastEpoch) {
  /** Rejects negative offsets, and epochs below -1. */
  public FetchPosition {
    if (nextOffset < 0) {
      throw new IllegalArgumentException("next offset " + nextOffset + " is negative");
    }
    if (lastEpoch < -1) {
      throw new IllegalArgumentException("last epoch " + lastEpoch + " is below -1");
    }
  }
}
