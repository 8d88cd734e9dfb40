package io.whence.testkit;

import io.whence.model.RecordStamp;
import io.whence.model.TimestampType;

/**
 * A record as the oracle knows it: where, when, and who may see it. Thread safety: immutable.
 *
 * @param offset its offset
 * @param timestampMs its own timestamp in epoch milliseconds; negative when it has none
 * @param timestampType who set the timestamp
 * @param leaderEpoch the leader epoch of its batch; negative when the batch does not say
 * @param kind who may see it
 */
public record OracleRecord(
    long offset, long timestampMs, TimestampType timestampType, int leaderEpoch, Kind kind) {

  /** Who may see a record. */
  public enum Kind {
    /** Everybody. */
    DATA,
    /** Readers of uncommitted data: its transaction was aborted. */
    ABORTED,
    /** Readers of uncommitted data: its transaction is undecided. */
    OPEN_TXN,
    /** Nobody: a transaction marker. */
    CONTROL
  }

  /** Makes a record whose producer set the timestamp. */
  public OracleRecord(long offset, long timestampMs, int leaderEpoch, Kind kind) {
    this(offset, timestampMs, TimestampType.CREATE_TIME, leaderEpoch, kind);
  }

  /** Makes a data record of leader epoch 0 whose producer set the timestamp. */
  public static OracleRecord data(long offset, long timestampMs) {
    return new OracleRecord(offset, timestampMs, 0, Kind.DATA);
  }

  /** Returns whether the record has a time. */
  public boolean isTimed() {
    return timestampMs >= 0;
  }

  /** Returns where and when the record was written, as answers carry it. */
  public RecordStamp stamp() {
    return new RecordStamp(offset, timestampMs, timestampType, leaderEpoch);
  }
}
