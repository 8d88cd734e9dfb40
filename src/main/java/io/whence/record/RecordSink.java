package io.whence.record;

/** Takes where and when the records of a batch are, one by one. */
@FunctionalInterface
public interface RecordSink {
  /** Takes nothing. */
  RecordSink NOTHING = (offsetDelta, timestampMs) -> {};

  /**
   * Takes a record.
   *
   * @param offsetDelta its offset, counted from the base offset of the batch
   * @param timestampMs its timestamp in epoch milliseconds; negative for none
   */
  void accept(int offsetDelta, long timestampMs);
}
