package io.whence.testkit;

import io.whence.record.CompressionCodec;
import io.whence.record.SourceRecord;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.DefaultRecord;
import org.apache.kafka.common.record.internal.DefaultRecordBatch;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.utils.internals.ByteBufferOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Builds any batch that a log of Kafka may hold, with Kafka's own encoders. Thread safety:
 * single-writer.
 *
 * <pre>
 *   batch(100).record(1000).record(2000).build()                   offsets 100 and 101
 *   batch(100).recordAt(0, 1000).recordAt(5, 2000).lastOffsetDelta(9).build()   compacted
 *   batch(100).producer(7, 0).transactional().record(1000).build()
 *   commit(102, 7, 0, 3000)                                         a marker
 *   batch(100).lastOffsetDelta(9).maxTimestamp(2000).build()       emptied by compaction
 * </pre>
 */
public final class BatchBuilder {
  private final long baseOffset;
  private final List<Entry> entries = new ArrayList<>();
  private CompressionCodec codec = CompressionCodec.NONE;
  private int leaderEpoch = 0;
  private long producerId = -1;
  private short producerEpoch = -1;
  private int baseSequence = -1;
  private boolean transactional;
  private boolean control;
  private OptionalInt lastOffsetDelta = OptionalInt.empty();
  private OptionalLong maxTimestampMs = OptionalLong.empty();
  private OptionalLong deleteHorizonMs = OptionalLong.empty();
  private OptionalLong logAppendTimeMs = OptionalLong.empty();

  private record Entry(int offsetDelta, SourceRecord record) {}

  private BatchBuilder(long baseOffset) {
    this.baseOffset = baseOffset;
  }

  /** Starts a batch in leader epoch 0. */
  public static BatchBuilder batch(long baseOffset) {
    return new BatchBuilder(baseOffset);
  }

  /** Builds the marker of a committed transaction. */
  public static byte[] commit(long offset, long producerId, int producerEpoch, long timestampMs) {
    return marker(ControlRecordType.COMMIT, offset, producerId, producerEpoch, timestampMs);
  }

  /** Builds the marker of an aborted transaction. */
  public static byte[] abort(long offset, long producerId, int producerEpoch, long timestampMs) {
    return marker(ControlRecordType.ABORT, offset, producerId, producerEpoch, timestampMs);
  }

  private static byte[] marker(
      ControlRecordType type, long offset, long producerId, int producerEpoch, long timestampMs) {
    byte[] value = bytes(new EndTransactionMarker(type, 0).serializeValue());
    return batch(offset)
        .producer(producerId, producerEpoch)
        .transactional()
        .control()
        .record(new SourceRecord(timestampMs, bytes(type.recordKey()), value, List.of()))
        .build();
  }

  /** Adds a record after the last one, with a small key and value; timestamp -1 for none. */
  public BatchBuilder record(long timestampMs) {
    return recordAt(nextOffsetDelta(), timestampMs);
  }

  /** Adds a record after the last one. */
  public BatchBuilder record(SourceRecord record) {
    return recordAt(nextOffsetDelta(), record);
  }

  /** Adds a record at an offset counted from the base offset. */
  public BatchBuilder recordAt(int offsetDelta, long timestampMs) {
    byte[] key = ("k" + (baseOffset + offsetDelta)).getBytes(StandardCharsets.UTF_8);
    byte[] value = ("v" + (baseOffset + offsetDelta)).getBytes(StandardCharsets.UTF_8);
    return recordAt(offsetDelta, new SourceRecord(timestampMs, key, value, List.of()));
  }

  /** Adds a record at an offset counted from the base offset. */
  public BatchBuilder recordAt(int offsetDelta, SourceRecord record) {
    entries.add(new Entry(offsetDelta, record));
    return this;
  }

  /** Adds records after the last one, one per timestamp. */
  public BatchBuilder records(long... timestampsMs) {
    for (long timestampMs : timestampsMs) {
      record(timestampMs);
    }
    return this;
  }

  /** Compresses the records. */
  public BatchBuilder codec(CompressionCodec codec) {
    this.codec = codec;
    return this;
  }

  /** Sets the leader epoch. */
  public BatchBuilder leaderEpoch(int leaderEpoch) {
    this.leaderEpoch = leaderEpoch;
    return this;
  }

  /** Makes the batch that of an idempotent producer, with base sequence 0. */
  public BatchBuilder producer(long producerId, int producerEpoch) {
    this.producerId = producerId;
    this.producerEpoch = (short) producerEpoch;
    baseSequence = 0;
    return this;
  }

  /** Sets the sequence number of the first record. */
  public BatchBuilder baseSequence(int baseSequence) {
    this.baseSequence = baseSequence;
    return this;
  }

  /** Puts the batch into the transaction of its producer. */
  public BatchBuilder transactional() {
    transactional = true;
    return this;
  }

  /** Makes the batch a control batch. */
  public BatchBuilder control() {
    control = true;
    baseSequence = -1;
    return this;
  }

  /** Lets the batch end after its last record, as if compaction had removed the rest. */
  public BatchBuilder lastOffsetDelta(int lastOffsetDelta) {
    this.lastOffsetDelta = OptionalInt.of(lastOffsetDelta);
    return this;
  }

  /** Overrides the largest timestamp of the header. */
  public BatchBuilder maxTimestamp(long maxTimestampMs) {
    this.maxTimestampMs = OptionalLong.of(maxTimestampMs);
    return this;
  }

  /** Puts a delete horizon where the base timestamp is; the records keep their timestamps. */
  public BatchBuilder deleteHorizon(long deleteHorizonMs) {
    this.deleteHorizonMs = OptionalLong.of(deleteHorizonMs);
    return this;
  }

  /** Lets the log set the timestamp; those of the records stay behind in their deltas. */
  public BatchBuilder logAppendTime(long logAppendTimeMs) {
    this.logAppendTimeMs = OptionalLong.of(logAppendTimeMs);
    return this;
  }

  /** Builds the batch with a right CRC. */
  public byte[] build() {
    long baseTimestampMs = deleteHorizonMs.orElse(entries.isEmpty() ? -1 : timestampOf(0));
    ByteBufferOutputStream out = new ByteBufferOutputStream(512);
    out.position(DefaultRecordBatch.RECORD_BATCH_OVERHEAD);
    if (!entries.isEmpty()) {
      writeRecords(out, baseTimestampMs);
    }
    ByteBuffer batch = out.buffer().flip();
    DefaultRecordBatch.writeHeader(
        batch,
        baseOffset,
        lastOffsetDelta.orElse(Math.max(0, nextOffsetDelta() - 1)),
        batch.limit(),
        (byte) 2,
        CompressionType.forId(entries.isEmpty() ? 0 : codec.id()),
        logAppendTimeMs.isPresent() ? TimestampType.LOG_APPEND_TIME : TimestampType.CREATE_TIME,
        baseTimestampMs,
        maxTimestampMs.orElse(logAppendTimeMs.orElse(largestTimestamp())),
        producerId,
        producerEpoch,
        baseSequence,
        transactional,
        control,
        deleteHorizonMs.isPresent(),
        leaderEpoch,
        entries.size());
    return bytes(batch);
  }

  private void writeRecords(ByteBufferOutputStream out, long baseTimestampMs) {
    Compression compression = Compression.of(CompressionType.forId(codec.id())).build();
    try (DataOutputStream data = new DataOutputStream(compression.wrapForOutput(out, (byte) 2))) {
      for (Entry entry : entries) {
        SourceRecord record = entry.record();
        DefaultRecord.writeTo(
            data,
            entry.offsetDelta(),
            record.timestampMs() - baseTimestampMs,
            buffer(record.key()),
            buffer(record.value()),
            headers(record));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private int nextOffsetDelta() {
    return entries.isEmpty() ? 0 : entries.get(entries.size() - 1).offsetDelta() + 1;
  }

  private long timestampOf(int index) {
    return entries.get(index).record().timestampMs();
  }

  private long largestTimestamp() {
    long largest = -1;
    for (Entry entry : entries) {
      largest = Math.max(largest, entry.record().timestampMs());
    }
    return largest;
  }

  private static Header[] headers(SourceRecord record) {
    return record.headers().stream()
        .map(header -> new RecordHeader(header.key(), header.value()))
        .toArray(Header[]::new);
  }

  private static @Nullable ByteBuffer buffer(byte @Nullable [] bytes) {
    return bytes == null ? null : ByteBuffer.wrap(bytes);
  }

  private static byte[] bytes(ByteBuffer buffer) {
    buffer.rewind();
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return bytes;
  }
}
