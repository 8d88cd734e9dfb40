package io.whence.server;

import io.whence.log.Damage;
import io.whence.log.LogSnapshot;
import io.whence.log.SegmentInfo;
import io.whence.log.StoredRecord;
import io.whence.log.TimestampHealth;
import io.whence.model.Cancellation;
import io.whence.model.IsolationLevel;
import io.whence.model.TopicPartition;
import java.util.List;

/** A log in memory. Thread safety: immutable. */
final class FakeLog extends LogSnapshot {
  private final TopicPartition partition;
  private final long logStartOffset;
  private final long endOffset;
  private final List<StoredRecord> records;

  FakeLog(
      TopicPartition partition, long logStartOffset, long endOffset, List<StoredRecord> records) {
    this.partition = partition;
    this.logStartOffset = logStartOffset;
    this.endOffset = endOffset;
    this.records =
        records.stream().filter(record -> record.stamp().offset() >= logStartOffset).toList();
  }

  TopicPartition partition() {
    return partition;
  }

  List<StoredRecord> records() {
    return records;
  }

  @Override
  public long logStartOffset() {
    return logStartOffset;
  }

  @Override
  public long highWatermark() {
    return endOffset;
  }

  @Override
  public long lastStableOffset() {
    return endOffset;
  }

  @Override
  public long sizeBytes() {
    return 100L * records.size();
  }

  @Override
  public List<SegmentInfo> segments() {
    TimestampHealth health = TimestampHealth.NONE;
    for (StoredRecord record : records) {
      long ms = record.stamp().timestampMs();
      health =
          health.plus(
              record.stamp().hasTimestamp()
                  ? new TimestampHealth(1, 0, ms, ms, 0)
                  : new TimestampHealth(1, 1, Long.MAX_VALUE, Long.MIN_VALUE, 0));
    }
    return List.of(new SegmentInfo(0, endOffset, sizeBytes(), health, true));
  }

  @Override
  public List<Damage> damages() {
    return List.of();
  }

  @Override
  public List<StoredRecord> read(
      long offset,
      int maxRecords,
      long maxBytes,
      IsolationLevel isolation,
      Cancellation cancellation) {
    return records.stream()
        .filter(record -> record.stamp().offset() >= offset)
        .limit(maxRecords)
        .toList();
  }
}
