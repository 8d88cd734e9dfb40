package io.whence.record;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.utils.internals.ByteBufferOutputStream;

/**
 * Encodes records into batches. Invariant: a batch made here passes Kafka's own checks. Thread
 * safety: thread-safe, it has no state.
 *
 * <p>A batch starts at offset 0 and in no leader epoch; both are set at the end, under whatever
 * lock gives out offsets, since the CRC doesn't cover them.
 */
public final class RecordBatchBuilder {
  private static final int NO_EPOCH = -1;
  private static final int NO_PRODUCER = -1;
  private static final long NO_TIMESTAMP = -1;

  private RecordBatchBuilder() {}

  /**
   * Encodes a batch of records whose timestamps their producer sets.
   *
   * @param records the records, in order; at least one
   * @param codec how to compress them
   * @param defaultTimestampMs the timestamp of records without one, in epoch milliseconds; negative
   *     for none
   * @return a heap buffer from position 0 to its limit
   */
  public static ByteBuffer createTime(
      List<SourceRecord> records, CompressionCodec codec, long defaultTimestampMs) {
    long baseTimestampMs = timestampOf(requireSome(records).get(0), defaultTimestampMs);
    long maxTimestampMs = NO_TIMESTAMP;
    RecordEncoder encoder = new RecordEncoder(sizeOf(records));
    for (int i = 0; i < records.size(); i++) {
      SourceRecord record = records.get(i);
      long timestampMs = timestampOf(record, defaultTimestampMs);
      maxTimestampMs = Math.max(maxTimestampMs, timestampMs);
      // May wrap around; adding it to the base wraps back.
      encoder.append(i, timestampMs - baseTimestampMs, record);
    }
    ByteBuffer batch = compressed(encoder.array(), encoder.size(), codec);
    batch.putLong(BatchFormat.BASE_TIMESTAMP, baseTimestampMs);
    batch.putLong(BatchFormat.MAX_TIMESTAMP, maxTimestampMs);
    return finished(batch, codec.id(), records.size());
  }

  /**
   * Encodes a batch of records whose timestamp the log sets; their own are dropped.
   *
   * @param records the records, in order; at least one
   * @param codec how to compress them
   * @param appendTimestampMs the time of the log in epoch milliseconds, not negative
   * @return a heap buffer from position 0 to its limit
   */
  public static ByteBuffer logAppendTime(
      List<SourceRecord> records, CompressionCodec codec, long appendTimestampMs) {
    if (appendTimestampMs < 0) {
      throw new IllegalArgumentException("append timestamp " + appendTimestampMs + " is negative");
    }
    RecordEncoder encoder = new RecordEncoder(sizeOf(requireSome(records)));
    for (int i = 0; i < records.size(); i++) {
      encoder.append(i, 0, records.get(i));
    }
    ByteBuffer batch = compressed(encoder.array(), encoder.size(), codec);
    batch.putLong(BatchFormat.BASE_TIMESTAMP, appendTimestampMs);
    batch.putLong(BatchFormat.MAX_TIMESTAMP, appendTimestampMs);
    return finished(batch, codec.id() | BatchFormat.LOG_APPEND_TIME_BIT, records.size());
  }

  /**
   * Says where in the log a batch lies.
   *
   * @param batch a batch from position 0 on; its position and limit stay
   * @param baseOffset the offset of its first record
   * @param leaderEpoch the leader epoch that appends it; -1 for none
   */
  public static void assignOffsets(ByteBuffer batch, long baseOffset, int leaderEpoch) {
    batch.putLong(BatchFormat.BASE_OFFSET, baseOffset);
    batch.putInt(BatchFormat.PARTITION_LEADER_EPOCH, leaderEpoch);
  }

  private static List<SourceRecord> requireSome(List<SourceRecord> records) {
    if (records.isEmpty()) {
      throw new IllegalArgumentException("records: a batch needs at least one record");
    }
    return records;
  }

  private static long timestampOf(SourceRecord record, long defaultTimestampMs) {
    return record.timestamp().orElse(Math.max(defaultTimestampMs, NO_TIMESTAMP));
  }

  private static int sizeOf(List<SourceRecord> records) {
    int size = 0;
    for (SourceRecord record : records) {
      byte[] key = record.key();
      byte[] value = record.value();
      int fields = (key == null ? 0 : key.length) + (value == null ? 0 : value.length);
      size = Math.addExact(size, fields + 32);
    }
    return size;
  }

  /**
   * Compresses records.
   *
   * @param bytes room for the header, then the records
   * @param size how many of the bytes are taken
   * @return room for the header, then the records as they are stored
   * @throws io.whence.model.WhenceException {@code UNSUPPORTED} if the library of the codec can't
   *     be loaded
   */
  static ByteBuffer compressed(byte[] bytes, int size, CompressionCodec codec) {
    if (codec == CompressionCodec.NONE) {
      return ByteBuffer.wrap(bytes, 0, size).slice();
    }
    int recordBytes = size - BatchFormat.RECORDS;
    ByteBufferOutputStream out = new ByteBufferOutputStream(BatchFormat.RECORDS + recordBytes / 2);
    out.position(BatchFormat.RECORDS);
    try (OutputStream compressing = codec.compression().wrapForOutput(out, BatchFormat.MAGIC_V2)) {
      compressing.write(bytes, BatchFormat.RECORDS, recordBytes);
    } catch (IOException e) {
      throw new UncheckedIOException("compressing to memory failed", e);
    } catch (RuntimeException | LinkageError e) {
      codec.requireLoaded(e);
      throw e;
    }
    return out.buffer().flip();
  }

  private static ByteBuffer finished(ByteBuffer batch, int attributes, int recordCount) {
    assignOffsets(batch, 0, NO_EPOCH);
    batch.putInt(BatchFormat.LENGTH, batch.limit() - BatchFormat.UNCOUNTED_BYTES);
    batch.put(BatchFormat.MAGIC, BatchFormat.MAGIC_V2);
    batch.putShort(BatchFormat.ATTRIBUTES, (short) attributes);
    batch.putInt(BatchFormat.LAST_OFFSET_DELTA, recordCount - 1);
    batch.putLong(BatchFormat.PRODUCER_ID, NO_PRODUCER);
    batch.putShort(BatchFormat.PRODUCER_EPOCH, (short) NO_PRODUCER);
    batch.putInt(BatchFormat.BASE_SEQUENCE, NO_PRODUCER);
    batch.putInt(BatchFormat.RECORD_COUNT, recordCount);
    batch.putInt(BatchFormat.CRC, new RecordBatch().wrap(batch, 0).computeCrc());
    return batch;
  }
}
