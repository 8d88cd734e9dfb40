package io.whence.record;

import io.whence.model.Cancellation;
import io.whence.model.TimestampType;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Goes through the records of a batch, to be moved from batch to batch. Going on allocates nothing
 * but what a codec needs; keys, values and headers are read only when asked for. Invariant: the
 * offsets it gives increase and lie in the batch. Thread safety: single-writer.
 *
 * <p>A record:
 *
 * <pre>
 *   varint length of the rest, int8 attributes, varlong timestamp delta, varint offset delta,
 *   varint key length (-1 null), key, varint value length (-1 null), value,
 *   varint header count, per header: varint key length, key, varint value length (-1 null), value
 * </pre>
 *
 * Bytes that aren't so end in an {@link InvalidBatchException}, after which the cursor can be reset
 * to another batch. Whoever has reset it calls {@link #release} when the batch is read, in any case
 * and without waiting for anything in between: others may wait for the memory.
 */
public final class RecordCursor {
  private static final int NO_RECORD = -1;
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final Decompressor decompressor;
  private final RecordInput in = new RecordInput();
  private int recordsEnd;
  private int recordsLeft;
  private int recordCount;
  private long baseOffset;
  private int lastOffsetDelta;
  private long baseTimestampMs;
  private long maxTimestampMs;
  private boolean logAppendTime;

  private int offsetDelta;
  private long timestampMs;
  private int fieldsPosition = NO_RECORD;
  private int recordStart;
  private int recordEnd;

  /**
   * Makes a cursor over nothing.
   *
   * @param maxDecompressedBytes how many bytes the records of one batch may decompress to
   */
  public RecordCursor(int maxDecompressedBytes) {
    this(new Decompressor(maxDecompressedBytes));
  }

  RecordCursor(Decompressor decompressor) {
    this.decompressor = decompressor;
  }

  /** Moves before the first record of a batch, as below, for somebody who never gives up. */
  public void reset(RecordBatch batch) {
    reset(batch, Cancellation.NONE);
  }

  /**
   * Moves before the first record of a batch. Neither the batch nor its buffer may change while the
   * cursor is used, but the view may be moved on.
   *
   * @param cancellation ends the wait where the batch is a large one, and others are read
   * @throws InvalidBatchException if the batch is not one, as far as its header tells, or its
   *     records don't decompress; the CRC is not looked at
   * @throws io.whence.model.WhenceException if it can't be decompressed for reasons of the server
   */
  public void reset(RecordBatch batch, Cancellation cancellation) {
    release();
    Optional<BatchFault> fault = BatchValidator.headerFault(batch);
    if (fault.isPresent()) {
      throw fault.get().asException();
    }
    if (batch.recordCount() < 0) {
      throw new InvalidBatchException("expected a record count, found " + batch.recordCount());
    }
    openRecords(batch, cancellation);
    baseOffset = batch.baseOffset();
    lastOffsetDelta = batch.lastOffsetDelta();
    baseTimestampMs = batch.baseTimestampMs();
    maxTimestampMs = batch.maxTimestampMs();
    logAppendTime = batch.timestampType() == TimestampType.LOG_APPEND_TIME;
    recordCount = batch.recordCount();
    recordsLeft = recordCount;
    offsetDelta = -1;
  }

  /** Moves to no batch, and gives back the memory that a large one has taken. */
  public void release() {
    recordsLeft = 0;
    fieldsPosition = NO_RECORD;
    open(NOTHING, 0, 0);
    decompressor.release();
  }

  private void openRecords(RecordBatch batch, Cancellation cancellation) {
    CompressionCodec codec = batch.codec();
    int start = batch.position() + BatchFormat.RECORDS;
    int size = (int) batch.sizeInBytes() - BatchFormat.RECORDS;
    // A batch that compaction emptied may keep its codec, but has nothing to decompress.
    if (codec == CompressionCodec.NONE || size == 0) {
      open(batch.buffer(), start, start + size);
    } else {
      ByteBuffer records =
          decompressor.decompress(codec, batch.buffer().slice(start, size), cancellation);
      open(records, 0, decompressor.size());
    }
  }

  private void open(ByteBuffer data, int start, int end) {
    in.open(data, start, end);
    recordEnd = start;
    recordsEnd = end;
  }

  /**
   * Moves to the next record.
   *
   * @return whether there is one
   * @throws InvalidBatchException if what follows is not a record, or follows the last one
   */
  public boolean next() {
    in.setWindow(recordEnd, recordsEnd);
    fieldsPosition = NO_RECORD;
    if (recordsLeft == 0) {
      requireEndOfRecords();
      return false;
    }
    recordsLeft--;
    if (in.remaining() == 0) {
      throw new InvalidBatchException(
          "expected " + recordCount + " records, found " + (recordCount - recordsLeft - 1));
    }
    recordStart = recordEnd;
    int length = in.readLength("record");
    recordEnd = in.position() + length;
    in.setWindow(in.position(), recordEnd);
    in.readByte(); // Attributes, of which none is defined.
    long timestampDelta = in.readVarlong();
    timestampMs = logAppendTime ? maxTimestampMs : baseTimestampMs + timestampDelta;
    takeOffsetDelta(in.readVarint());
    fieldsPosition = in.position();
    return true;
  }

  private void requireEndOfRecords() {
    if (in.remaining() != 0) {
      throw new InvalidBatchException(
          "expected the end after " + recordCount + " records, found " + in.remaining() + " bytes");
    }
  }

  private void takeOffsetDelta(int delta) {
    if (delta <= offsetDelta || delta > lastOffsetDelta) {
      throw new InvalidBatchException(
          "expected an offset delta of "
              + (offsetDelta + 1)
              + " to "
              + lastOffsetDelta
              + ", found "
              + delta);
    }
    offsetDelta = delta;
  }

  /** Returns the offset of the record. */
  public long offset() {
    return baseOffset + offsetDelta;
  }

  /** Returns the timestamp of the record in epoch milliseconds; negative when it has none. */
  public long timestampMs() {
    return timestampMs;
  }

  /** Returns a new array with the key; null for none. */
  public byte @Nullable [] key() {
    goToFields();
    return readNullable("key");
  }

  /** Returns a new array with the value; null for none. */
  public byte @Nullable [] value() {
    goToFields();
    skipNullable("key");
    return readNullable("value");
  }

  /** Returns the headers, in order; unmodifiable. */
  public List<SourceRecord.Header> headers() {
    goToFields();
    skipNullable("key");
    skipNullable("value");
    int count = in.readVarint();
    // The count of garbage may be anything; the bytes run out before memory does.
    if (count < 0) {
      throw new InvalidBatchException("expected a header count, found " + count);
    }
    List<SourceRecord.Header> headers = new ArrayList<>(Math.min(count, in.remaining() / 2));
    for (int i = 0; i < count; i++) {
      byte[] key = in.readBytes(in.readLength("header key"));
      headers.add(
          new SourceRecord.Header(
              new String(key, StandardCharsets.UTF_8), readNullable("header value")));
    }
    if (in.remaining() != 0) {
      throw new InvalidBatchException(
          "expected the end of a record after its headers, found " + in.remaining() + " bytes");
    }
    return List.copyOf(headers);
  }

  /** Returns how many bytes the record takes, decompressed. */
  public int sizeInBytes() {
    requireRecord();
    return recordEnd - recordStart;
  }

  /** Returns how many bytes the records behind this one take, decompressed. */
  int remainingBytes() {
    return recordsEnd - recordEnd;
  }

  /** Copies the record as it is encoded, with its deltas to the header of its batch. */
  void copyTo(byte[] target, int position) {
    requireRecord();
    in.copy(recordStart, recordEnd, target, position);
  }

  private void goToFields() {
    requireRecord();
    in.setWindow(fieldsPosition, recordEnd);
  }

  private void requireRecord() {
    if (fieldsPosition == NO_RECORD) {
      throw new IllegalStateException("the cursor is at no record");
    }
  }

  private byte @Nullable [] readNullable(String what) {
    int length = in.readNullableLength(what);
    return length < 0 ? null : in.readBytes(length);
  }

  private void skipNullable(String what) {
    in.skip(Math.max(0, in.readNullableLength(what)));
  }
}
