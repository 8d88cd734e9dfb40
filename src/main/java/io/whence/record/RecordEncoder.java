package io.whence.record;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Writes records of format version 2 one after the other into a growing array that leaves room for
 * the batch header. Thread safety: single-writer.
 */
final class RecordEncoder {
  private static final int MAX_VARINT_BYTES = 5;
  private static final int MAX_HEAD_BYTES = 1 + 10 + MAX_VARINT_BYTES;

  private byte[] bytes;
  private int size = BatchFormat.RECORDS;

  /**
   * Makes an encoder without records.
   *
   * @param expectedBytes about how many bytes the records will take
   */
  RecordEncoder(int expectedBytes) {
    bytes = new byte[Math.addExact(expectedBytes, BatchFormat.RECORDS)];
  }

  /** Returns the array; the first 61 bytes are room for the header. */
  byte[] array() {
    return bytes;
  }

  /** Returns how many bytes of the array are taken, header included. */
  int size() {
    return size;
  }

  void append(int offsetDelta, long timestampDelta, SourceRecord record) {
    // The length comes first and takes as many bytes as it needs, so the rest is written behind
    // the longest one and then moved up to the real one.
    int start = size;
    int bodyStart = start + MAX_VARINT_BYTES;
    ensureRoom(MAX_VARINT_BYTES + MAX_HEAD_BYTES);
    size = bodyStart;
    bytes[size++] = 0; // Attributes, of which none is defined.
    writeVarlong(timestampDelta);
    writeVarint(offsetDelta);
    writeNullable(record.key());
    writeNullable(record.value());
    writeVarint(record.headers().size());
    for (SourceRecord.Header header : record.headers()) {
      writeNullable(header.key().getBytes(StandardCharsets.UTF_8));
      writeNullable(header.value());
    }
    int bodyLength = size - bodyStart;
    size = start;
    writeVarint(bodyLength);
    System.arraycopy(bytes, bodyStart, bytes, size, bodyLength);
    size += bodyLength;
  }

  private void writeNullable(byte @Nullable [] field) {
    if (field == null) {
      writeVarint(-1);
      return;
    }
    writeVarint(field.length);
    ensureRoom(field.length);
    System.arraycopy(field, 0, bytes, size, field.length);
    size += field.length;
  }

  private void writeVarint(int value) {
    writeUnsigned(((value << 1) ^ (value >> 31)) & 0xFFFFFFFFL);
  }

  private void writeVarlong(long value) {
    writeUnsigned((value << 1) ^ (value >> 63));
  }

  private void writeUnsigned(long value) {
    ensureRoom(10);
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      bytes[size++] = (byte) ((rest & 0x7F) | 0x80);
      rest >>>= 7;
    }
    bytes[size++] = (byte) rest;
  }

  private void ensureRoom(int count) {
    int needed = Math.addExact(size, count);
    if (needed > bytes.length) {
      long doubled = Math.min(2L * bytes.length, Integer.MAX_VALUE - 8);
      bytes = Arrays.copyOf(bytes, (int) Math.max(doubled, needed));
    }
  }
}
