package io.whence.record;

import java.nio.ByteBuffer;
import java.util.function.IntPredicate;

/**
 * Makes batches from a part of the records of others, as compaction does. Invariant: base offset,
 * last offset, leader epoch, producer fields and all of each record that is kept stay as they were.
 * Thread safety: single-writer.
 */
public final class BatchFilter {
  private static final long NO_TIMESTAMP = -1;

  private final RecordCursor records;

  /**
   * Makes a filter.
   *
   * @param maxDecompressedBytes how many bytes the records of one batch may decompress to
   */
  public BatchFilter(int maxDecompressedBytes) {
    records = new RecordCursor(maxDecompressedBytes);
  }

  /**
   * Makes a batch from some of the records of another, with the same codec.
   *
   * @param keeps tells which, by their number in the batch, from 0; at least one
   * @return a heap buffer from position 0 to its limit
   * @throws InvalidBatchException if the batch is not one
   */
  public ByteBuffer filter(RecordBatch batch, IntPredicate keeps) {
    try {
      records.reset(batch);
      return filterRecords(batch, keeps);
    } finally {
      records.release(); // Not sooner: what is kept may take as much.
    }
  }

  private ByteBuffer filterRecords(RecordBatch batch, IntPredicate keeps) {
    byte[] kept = new byte[BatchFormat.RECORDS + records.remainingBytes()];
    int size = BatchFormat.RECORDS;
    int count = 0;
    long maxMs = NO_TIMESTAMP;
    for (int i = 0; records.next(); i++) {
      if (keeps.test(i)) {
        // Its deltas count from base offset and base timestamp, which stay.
        records.copyTo(kept, size);
        size += records.sizeInBytes();
        count++;
        maxMs = Math.max(maxMs, records.timestampMs());
      }
    }
    if (count == 0) {
      throw new IllegalArgumentException("no record is kept of batch " + batch.baseOffset());
    }
    ByteBuffer made = RecordBatchBuilder.compressed(kept, size, batch.codec());
    copyHeader(batch, made);
    made.putLong(BatchFormat.MAX_TIMESTAMP, maxMs);
    return finished(made, count);
  }

  /**
   * Makes a batch without records that covers the offsets of another. It has no timestamp: Kafka
   * keeps the largest that there was, and then looks in vain for a record that has it.
   *
   * @return a heap buffer from position 0 to its limit
   */
  public static ByteBuffer emptied(RecordBatch batch) {
    ByteBuffer made = ByteBuffer.allocate(BatchFormat.RECORDS);
    copyHeader(batch, made);
    int attributes = made.getShort(BatchFormat.ATTRIBUTES);
    int aboutRecords = BatchFormat.CODEC_MASK | BatchFormat.DELETE_HORIZON_BIT;
    made.putShort(BatchFormat.ATTRIBUTES, (short) (attributes & ~aboutRecords));
    made.putLong(BatchFormat.BASE_TIMESTAMP, NO_TIMESTAMP);
    made.putLong(BatchFormat.MAX_TIMESTAMP, NO_TIMESTAMP);
    return finished(made, 0);
  }

  private static void copyHeader(RecordBatch batch, ByteBuffer made) {
    made.put(0, batch.bytes(), 0, BatchFormat.RECORDS);
  }

  private static ByteBuffer finished(ByteBuffer made, int recordCount) {
    made.putInt(BatchFormat.LENGTH, made.limit() - BatchFormat.UNCOUNTED_BYTES);
    made.putInt(BatchFormat.RECORD_COUNT, recordCount);
    made.putInt(BatchFormat.CRC, new RecordBatch().wrap(made, 0).computeCrc());
    return made;
  }
}
