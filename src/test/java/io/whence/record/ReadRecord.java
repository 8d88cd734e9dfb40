package io.whence.record;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/** A record as one of two readers gave it, in a form that tests can compare. */
record ReadRecord(long offset, long timestampMs, String key, String value, String headers) {

  /** Reads all batches of a buffer with our cursor. */
  static List<ReadRecord> byCursor(ByteBuffer buffer) {
    List<ReadRecord> records = new ArrayList<>();
    RecordCursor cursor = new RecordCursor(10_000_000);
    RecordBatch batch = new RecordBatch();
    for (int at = 0; at < buffer.limit(); at += (int) batch.sizeInBytes()) {
      cursor.reset(batch.wrap(buffer, at));
      while (cursor.next()) {
        records.add(of(cursor));
      }
    }
    return records;
  }

  /** Reads all batches of a buffer with Kafka's classes, and has them check everything. */
  static List<ReadRecord> byKafka(ByteBuffer buffer) {
    List<ReadRecord> records = new ArrayList<>();
    for (MutableRecordBatch batch : MemoryRecords.readableRecords(buffer.duplicate()).batches()) {
      batch.ensureValid();
      for (Record record : batch) {
        record.ensureValid();
        records.add(of(record));
      }
    }
    return records;
  }

  static ReadRecord of(RecordCursor cursor) {
    return new ReadRecord(
        cursor.offset(),
        cursor.timestampMs(),
        text(cursor.key()),
        text(cursor.value()),
        headersText(cursor.headers()));
  }

  static ReadRecord of(long offset, SourceRecord record) {
    return new ReadRecord(
        offset,
        record.timestampMs(),
        text(record.key()),
        text(record.value()),
        headersText(record.headers()));
  }

  private static ReadRecord of(Record record) {
    List<SourceRecord.Header> headers =
        Arrays.stream(record.headers())
            .map(header -> new SourceRecord.Header(header.key(), header.value()))
            .toList();
    return new ReadRecord(
        record.offset(),
        record.timestamp(),
        text(Utils.toNullableArray(record.key())),
        text(Utils.toNullableArray(record.value())),
        headersText(headers));
  }

  private static String headersText(List<SourceRecord.Header> headers) {
    return headers.stream().map(h -> h.key() + "=" + text(h.value())).toList().toString();
  }

  private static String text(byte @Nullable [] bytes) {
    return bytes == null ? "null" : HexFormat.of().formatHex(bytes);
  }
}
