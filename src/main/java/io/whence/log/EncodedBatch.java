package io.whence.log;

import io.whence.model.ErrorReason;
import io.whence.model.TimestampType;
import io.whence.model.WhenceException;
import io.whence.record.RecordBatchBuilder;
import io.whence.record.SourceRecord;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A batch that was checked and encoded, and has yet to get its offsets. Made before the lock of a
 * log is taken, since checking and compressing take long. Thread safety: single-writer.
 */
final class EncodedBatch {
  private final ByteBuffer bytes;
  private final int recordCount;
  private final long maxMs;
  private final BatchStats.Timestamps timestamps;

  private EncodedBatch(
      ByteBuffer bytes, int recordCount, long maxMs, BatchStats.Timestamps timestamps) {
    this.bytes = bytes;
    this.recordCount = recordCount;
    this.maxMs = maxMs;
    this.timestamps = timestamps;
  }

  /**
   * Checks and encodes a batch.
   *
   * @throws WhenceException {@code INVALID_TIMESTAMP} or {@code RECORD_TOO_LARGE}
   */
  static EncodedBatch of(AppendBatch batch, LogConfig config, long nowMs) {
    boolean createTime = config.timestampType() == TimestampType.CREATE_TIME;
    BatchStats.Timestamps timestamps =
        new BatchStats.Timestamps(config.timestampType(), PartitionLog.LEADER_EPOCH);
    long beforeMaxMs = config.number(LogSetting.MESSAGE_TIMESTAMP_BEFORE_MAX_MS);
    long afterMaxMs = config.number(LogSetting.MESSAGE_TIMESTAMP_AFTER_MAX_MS);
    long maxMs = -1;
    for (int i = 0; i < batch.records().size(); i++) {
      long timestampMs = createTime ? batch.records().get(i).timestamp().orElse(nowMs) : nowMs;
      requireTimestampInRange(i, timestampMs, beforeMaxMs, afterMaxMs, nowMs);
      timestamps.add(i, timestampMs);
      maxMs = Math.max(maxMs, timestampMs);
    }
    ByteBuffer bytes = encode(batch, createTime, nowMs);
    requireSize(bytes.limit(), config);
    return new EncodedBatch(bytes, batch.records().size(), maxMs, timestamps);
  }

  private static ByteBuffer encode(AppendBatch batch, boolean createTime, long nowMs) {
    List<SourceRecord> records = batch.records();
    return createTime
        ? RecordBatchBuilder.createTime(records, batch.codec(), nowMs)
        : RecordBatchBuilder.logAppendTime(records, batch.codec(), nowMs);
  }

  /** Gives the batch its place and returns its bytes. */
  ByteBuffer place(long baseOffset, int leaderEpoch) {
    RecordBatchBuilder.assignOffsets(bytes, baseOffset, leaderEpoch);
    return bytes.duplicate();
  }

  BatchStats stats(long baseOffset) {
    return timestamps.toStats(
        baseOffset, baseOffset + recordCount - 1, bytes.limit(), maxMs, TransactionEvent.NONE);
  }

  private static void requireTimestampInRange(
      int index, long timestampMs, long beforeMaxMs, long afterMaxMs, long nowMs) {
    if (nowMs - timestampMs > beforeMaxMs) {
      throw invalidTimestamp(
          index, timestampMs, beforeMaxMs, "before", LogSetting.MESSAGE_TIMESTAMP_BEFORE_MAX_MS);
    }
    // Not a difference: one of a timestamp near the largest long and the clock could overflow.
    if (timestampMs > nowMs && timestampMs - nowMs > afterMaxMs) {
      throw invalidTimestamp(
          index, timestampMs, afterMaxMs, "after", LogSetting.MESSAGE_TIMESTAMP_AFTER_MAX_MS);
    }
  }

  private static WhenceException invalidTimestamp(
      int index, long timestampMs, long limitMs, String side, LogSetting setting) {
    return WhenceException.of(
        ErrorReason.INVALID_TIMESTAMP,
        "records["
            + index
            + "].timestamp_ms: "
            + timestampMs
            + " lies more than "
            + limitMs
            + " ms "
            + side
            + " the clock; raise "
            + setting.key()
            + " of the topic if it is right",
        "record_index",
        index,
        "timestamp_ms",
        timestampMs);
  }

  private static void requireSize(int size, LogConfig config) {
    LogSetting setting = config.batchLimit();
    int limit = config.size(setting);
    if (size > limit) {
      throw WhenceException.of(
          ErrorReason.RECORD_TOO_LARGE,
          "records: the batch has "
              + size
              + " bytes, more than the "
              + limit
              + " of "
              + setting.key()
              + "; split it, compress it, or raise the setting of the topic",
          "size_bytes",
          size,
          "limit_bytes",
          limit);
    }
  }
}
