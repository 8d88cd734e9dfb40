package io.whence.source.archive;

import io.whence.model.OffsetRange;
import io.whence.testkit.OracleRecord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.common.record.internal.DefaultRecordBatch;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;

/**
 * What is left of a damaged log without transactions and compaction: looks for a whole batch at
 * every byte, with Kafka's classes. Offsets between batches are lost. Single-writer.
 */
final class SurvivingRecords {
  private final List<OracleRecord> records = new ArrayList<>();
  private final List<OffsetRange> lost = new ArrayList<>();
  private long nextOffset;

  private SurvivingRecords() {}

  static SurvivingRecords of(Path partition) throws IOException {
    SurvivingRecords survivors = new SurvivingRecords();
    try (Stream<Path> files = Files.list(partition)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".log")).sorted().toList()) {
        survivors.readSegment(file);
      }
    }
    return survivors;
  }

  List<OracleRecord> records() {
    return records;
  }

  /** Returns the offsets between batches, ascending. */
  List<OffsetRange> lost() {
    return lost;
  }

  long nextOffset() {
    return nextOffset;
  }

  private void readSegment(Path file) throws IOException {
    reach(Long.parseLong(file.getFileName().toString().replace(".log", "")));
    byte[] bytes = Files.readAllBytes(file);
    int at = 0;
    while (at + DefaultRecordBatch.RECORD_BATCH_OVERHEAD <= bytes.length) {
      at += readBatch(bytes, at);
    }
  }

  /** Returns how many bytes to go on. */
  private int readBatch(byte[] bytes, int at) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes, at, bytes.length - at).slice();
    long size = buffer.getInt(8) + 12L;
    if (buffer.get(16) != 2
        || size < DefaultRecordBatch.RECORD_BATCH_OVERHEAD
        || size > buffer.limit()) {
      return 1;
    }
    RecordBatch batch =
        MemoryRecords.readableRecords(buffer.limit((int) size)).batches().iterator().next();
    if (!batch.isValid() || batch.baseOffset() < nextOffset) {
      return 1;
    }
    reach(batch.baseOffset());
    batch.forEach(
        record ->
            records.add(
                new OracleRecord(
                    record.offset(),
                    record.timestamp(),
                    batch.partitionLeaderEpoch(),
                    OracleRecord.Kind.DATA)));
    nextOffset = batch.nextOffset();
    return (int) size;
  }

  private void reach(long offset) {
    if (offset > nextOffset) {
      lost.add(new OffsetRange(nextOffset, offset));
    }
    nextOffset = offset;
  }
}
