package io.whence.record;

import io.whence.model.TimestampType;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Makes batches without keys, values and headers, one behind the other: everything that tells where
 * and when records are and who sees them stays. Control batches keep their keys and values.
 * Invariant: what it made of a valid batch is a valid batch. Thread safety: single-writer; meant to
 * be kept, since it keeps its buffers.
 *
 * <p>What stays of the header: base and last offset, leader epoch, timestamp type, base and largest
 * timestamp, producer, sequence, the flags of transactions, control and delete horizon. The records
 * are not compressed; each keeps its offset and timestamp.
 */
public final class BatchStripper {
  private static final int INITIAL_BYTES = 64 << 10;
  private static final int LARGEST_KEPT_BYTES = 4 << 20;

  /** A record without fields takes no more: length, attributes, two deltas, three counts. */
  private static final int MAX_RECORD_BYTES = 1 + 1 + 10 + 5 + 3;

  private static final int NO_FIELD = -1;

  private final RecordCursor records;
  private final CRC32C crc = new CRC32C();
  private byte[] bytes = new byte[INITIAL_BYTES];
  private ByteBuffer view = ByteBuffer.wrap(bytes);
  private int size;

  /**
   * Makes a stripper.
   *
   * @param maxDecompressedBytes how many bytes the records of one batch may decompress to
   */
  public BatchStripper(int maxDecompressedBytes) {
    records = new RecordCursor(maxDecompressedBytes);
  }

  /** Forgets what it made. */
  public void clear() {
    size = 0;
    if (bytes.length > LARGEST_KEPT_BYTES) {
      resize(INITIAL_BYTES);
    }
  }

  /** Forgets the last batches that it made. The bytes that are left end at a position. */
  public void cutTo(int endPosition) {
    if (endPosition < 0 || endPosition > size) {
      throw new IllegalArgumentException("end " + endPosition + " of " + size + " bytes");
    }
    size = endPosition;
  }

  /** Returns how many bytes the batches take that were made since {@link #clear}. */
  public int sizeInBytes() {
    return size;
  }

  /**
   * Returns the batches that were made since {@link #clear}, from position to limit. Good until the
   * next change of this.
   */
  public ByteBuffer bytes() {
    return view.clear().limit(size);
  }

  /**
   * Points a view at a batch that was made.
   *
   * @param position where it begins: the size before it was made
   */
  public RecordBatch wrap(RecordBatch batch, int position) {
    return batch.wrap(view.clear(), position);
  }

  /**
   * Makes a batch behind those that were made before.
   *
   * @param batch the batch; its CRC is not looked at
   * @param fromOffset what lies below is left out, and the batch begins there; not above its last
   *     offset
   * @param sink gets the records that are left, with offsets counted from where the batch begins
   * @throws InvalidBatchException if its records are not as the header says; nothing was made then
   */
  public void strip(RecordBatch batch, long fromOffset, RecordSink sink) {
    int start = size;
    long baseOffset = Math.max(batch.baseOffset(), fromOffset);
    try {
      records.reset(batch);
      reserve(BatchFormat.RECORDS);
      size += BatchFormat.RECORDS;
      int count =
          batch.isControl()
              ? copyWhole(batch, baseOffset, sink)
              : copyTimes(batch, baseOffset, sink);
      finish(batch, start, baseOffset, count);
    } catch (InvalidBatchException e) {
      size = start;
      throw e;
    } finally {
      records.release();
    }
  }

  private int copyTimes(RecordBatch batch, long baseOffset, RecordSink sink) {
    // Where the log sets the time, nobody sees what producers gave.
    boolean ownTimes = batch.timestampType() == TimestampType.CREATE_TIME;
    long baseMs = batch.baseTimestampMs();
    int count = 0;
    while (records.next()) {
      long delta = records.offset() - baseOffset;
      if (delta >= 0) {
        long timestampMs = records.timestampMs();
        addRecord((int) delta, ownTimes ? timestampMs - baseMs : 0);
        sink.accept((int) delta, timestampMs);
        count++;
      }
    }
    return count;
  }

  private void addRecord(int offsetDelta, long timestampDelta) {
    if (bytes.length - size < MAX_RECORD_BYTES) {
      reserve(MAX_RECORD_BYTES);
    }
    byte[] out = bytes;
    int at = size + 1;
    out[at++] = 0; // Attributes, of which none is defined.
    at = putVarlong(out, at, timestampDelta);
    at = putVarlong(out, at, offsetDelta);
    out[at++] = 1; // No key: -1, zig-zag.
    out[at++] = 1; // No value.
    out[at++] = 0; // No headers.
    out[size] = (byte) ((at - size - 1) << 1);
    size = at;
  }

  private int copyWhole(RecordBatch batch, long baseOffset, RecordSink sink) {
    boolean ownTimes = batch.timestampType() == TimestampType.CREATE_TIME;
    int count = 0;
    while (records.next()) {
      long delta = records.offset() - baseOffset;
      if (delta >= 0) {
        long timestampDelta = records.timestampMs() - batch.baseTimestampMs();
        addRecord((int) delta, ownTimes ? timestampDelta : 0, records.key(), records.value());
        sink.accept((int) delta, records.timestampMs());
        count++;
      }
    }
    return count;
  }

  private void addRecord(
      int offsetDelta, long timestampDelta, byte @Nullable [] key, byte @Nullable [] value) {
    int fieldBytes = sizeOf(key) + sizeOf(value);
    reserve(2 * MAX_RECORD_BYTES + fieldBytes);
    // Written behind the longest length that there is, and then moved up to the real one.
    int bodyStart = size + 5;
    int at = bodyStart;
    bytes[at++] = 0;
    at = putVarlong(bytes, at, timestampDelta);
    at = putVarlong(bytes, at, offsetDelta);
    at = putField(at, key);
    at = putField(at, value);
    bytes[at++] = 0;
    int bodyBytes = at - bodyStart;
    int lengthEnd = putVarlong(bytes, size, bodyBytes);
    System.arraycopy(bytes, bodyStart, bytes, lengthEnd, bodyBytes);
    size = lengthEnd + bodyBytes;
  }

  private static int sizeOf(byte @Nullable [] field) {
    return field == null ? 0 : field.length;
  }

  private int putField(int position, byte @Nullable [] field) {
    if (field == null) {
      return putVarlong(bytes, position, NO_FIELD);
    }
    int at = putVarlong(bytes, position, field.length);
    System.arraycopy(field, 0, bytes, at, field.length);
    return at + field.length;
  }

  /** Of the values of an int, the bytes are those of a varint. */
  private static int putVarlong(byte[] out, int position, long value) {
    int at = position;
    long rest = (value << 1) ^ (value >> 63);
    while ((rest & ~0x7FL) != 0) {
      out[at++] = (byte) ((rest & 0x7F) | 0x80);
      rest >>>= 7;
    }
    out[at++] = (byte) rest;
    return at;
  }

  private void finish(RecordBatch batch, int start, long baseOffset, int recordCount) {
    ByteBuffer out = view.clear();
    out.put(start, batch.buffer(), batch.position(), BatchFormat.RECORDS);
    int attributes = out.getShort(start + BatchFormat.ATTRIBUTES) & ~BatchFormat.CODEC_MASK;
    out.putShort(start + BatchFormat.ATTRIBUTES, (short) attributes);
    out.putLong(start + BatchFormat.BASE_OFFSET, baseOffset);
    out.putInt(start + BatchFormat.LENGTH, size - start - BatchFormat.UNCOUNTED_BYTES);
    out.putInt(
        start + BatchFormat.LAST_OFFSET_DELTA, Math.toIntExact(batch.lastOffset() - baseOffset));
    out.putInt(start + BatchFormat.RECORD_COUNT, recordCount);
    int shift = (int) (baseOffset - batch.baseOffset());
    if (batch.baseSequence() >= 0) {
      // Sequences go on at 0 behind the largest int.
      out.putInt(
          start + BatchFormat.BASE_SEQUENCE, (batch.baseSequence() + shift) & Integer.MAX_VALUE);
    }
    crc.reset();
    crc.update(bytes, start + BatchFormat.ATTRIBUTES, size - start - BatchFormat.ATTRIBUTES);
    out.putInt(start + BatchFormat.CRC, (int) crc.getValue());
  }

  private void reserve(int count) {
    int needed = Math.addExact(size, count);
    if (needed > bytes.length) {
      long doubled = Math.min(2L * bytes.length, Integer.MAX_VALUE - 8);
      resize((int) Math.max(doubled, needed));
    }
  }

  private void resize(int capacity) {
    bytes = Arrays.copyOf(bytes, capacity);
    view = ByteBuffer.wrap(bytes);
  }
}
