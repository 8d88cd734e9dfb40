package io.whence.bench.data;

import io.whence.record.BatchFormat;
import io.whence.record.RecordBatch;
import io.whence.record.RecordBatchBuilder;
import io.whence.record.SourceRecord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Writes the .log files of the partitions of a topic. Each batch is encoded once; for each
 * partition only its times are moved. Thread safety: single-writer.
 */
final class SegmentWriter {
  private static final int VALUES = 64;

  private final LogPlan plan;
  private final List<byte[]> values = new ArrayList<>();

  SegmentWriter(LogPlan plan) {
    this.plan = plan;
    for (int i = 0; i < VALUES; i++) {
      values.add(value(i));
    }
  }

  /** Something that compresses as well as events do. */
  private byte[] value(int number) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; text.length() < plan.batches().valueBytes(); i++) {
      text.append(
          String.format(
              Locale.ROOT, "{\"order\":%d,\"state\":\"paid\"}", number * 7919 + i * 104_729));
    }
    text.setLength(plan.batches().valueBytes());
    return text.toString().getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * Writes all partitions.
   *
   * @param directories one for each, without segments
   */
  void write(List<Path> directories) throws IOException {
    long ofSegment = (long) plan.batches().records() * plan.batches().perSegment();
    for (long base = 0; base < plan.records(); base += ofSegment) {
      writeSegment(directories, base, Math.min(plan.records(), base + ofSegment));
    }
  }

  private void writeSegment(List<Path> directories, long base, long end) throws IOException {
    String name = String.format(Locale.ROOT, "%020d.log", base);
    List<ByteBuffer> batches = new ArrayList<>();
    for (long offset = base; offset < end; offset += plan.batches().records()) {
      batches.add(batch(offset, Math.min(end, offset + plan.batches().records())));
    }
    long movedMs = 0;
    for (int partition = 0; partition < directories.size(); partition++) {
      long byMs = plan.shiftMs(partition) - movedMs;
      movedMs += byMs;
      Path path = directories.get(partition).resolve(name);
      try (FileChannel file =
          FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
        for (ByteBuffer batch : batches) {
          move(batch, byMs);
          ByteBuffer bytes = batch.duplicate();
          while (bytes.hasRemaining()) {
            file.write(bytes);
          }
        }
      }
    }
  }

  private ByteBuffer batch(long offset, long end) {
    List<SourceRecord> records = new ArrayList<>((int) (end - offset));
    for (long record = offset; record < end; record++) {
      byte[] value = values.get((int) (record % VALUES));
      records.add(new SourceRecord(plan.shape().timestampMs(record), null, value, List.of()));
    }
    ByteBuffer batch = RecordBatchBuilder.createTime(records, plan.batches().codec(), 0);
    RecordBatchBuilder.assignOffsets(batch, offset, 0);
    return batch;
  }

  private static void move(ByteBuffer batch, long byMs) {
    if (byMs != 0) {
      for (int field : List.of(BatchFormat.BASE_TIMESTAMP, BatchFormat.MAX_TIMESTAMP)) {
        batch.putLong(field, batch.getLong(field) + byMs);
      }
      batch.putInt(BatchFormat.CRC, new RecordBatch().wrap(batch, 0).computeCrc());
    }
  }
}
