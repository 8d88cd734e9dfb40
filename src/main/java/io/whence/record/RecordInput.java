package io.whence.record;

import java.nio.ByteBuffer;

/**
 * Reads the parts of records from a window of a buffer. Invariant: nothing outside the window is
 * read and nothing longer than it allocated, whatever lengths the bytes claim. Thread safety:
 * single-writer.
 *
 * <p>Numbers are varints: groups of seven bits from the lowest up, a set high bit when more follow,
 * the sign in the lowest bit (zig-zag).
 */
final class RecordInput {
  private ByteBuffer data = ByteBuffer.allocate(0);
  private int position;
  private int end;

  /** Moves to another buffer. */
  void open(ByteBuffer data, int position, int end) {
    this.data = data;
    setWindow(position, end);
  }

  /** Moves to another part of the buffer, from a position to an end, exclusive. */
  void setWindow(int position, int end) {
    this.position = position;
    this.end = end;
  }

  int position() {
    return position;
  }

  int remaining() {
    return end - position;
  }

  byte readByte() {
    if (position >= end) {
      throw new InvalidBatchException("expected another byte of a record, found the end of it");
    }
    return data.get(position++);
  }

  int readVarint() {
    int first = readByte();
    // Most numbers of a record take one byte.
    if (first >= 0) {
      return (first >>> 1) ^ -(first & 1);
    }
    long raw = readRest(first, Integer.SIZE);
    return (int) (raw >>> 1) ^ -(int) (raw & 1);
  }

  long readVarlong() {
    int first = readByte();
    if (first >= 0) {
      return (first >>> 1) ^ -(long) (first & 1);
    }
    long raw = readRest(first, Long.SIZE);
    return (raw >>> 1) ^ -(raw & 1);
  }

  private long readRest(int first, int bits) {
    long raw = first & 0x7F;
    for (int shift = 7; shift < bits; shift += 7) {
      byte next = readByte();
      int value = next & 0x7F;
      if (bits - shift < 7 && value >>> (bits - shift) != 0) {
        break;
      }
      raw |= (long) value << shift;
      if (next >= 0) {
        return raw;
      }
    }
    throw new InvalidBatchException("expected a varint of " + bits + " bits, found a longer one");
  }

  /** Reads a length that is not negative and fits into what remains. */
  int readLength(String what) {
    return requireLength(what, readVarint());
  }

  /** Reads a length that may be -1 for null. */
  int readNullableLength(String what) {
    int length = readVarint();
    return length == -1 ? length : requireLength(what, length);
  }

  private int requireLength(String what, int length) {
    if (length < 0 || length > end - position) {
      throw new InvalidBatchException(
          "expected a " + what + " of 0 to " + (end - position) + " bytes, found length " + length);
    }
    return length;
  }

  byte[] readBytes(int length) {
    byte[] bytes = new byte[length];
    data.get(position, bytes);
    position += length;
    return bytes;
  }

  /** Copies a part of the buffer, from a position to an end, exclusive; the window stays. */
  void copy(int from, int to, byte[] target, int targetPosition) {
    data.get(from, target, targetPosition, to - from);
  }

  void skip(int length) {
    position += length;
  }
}
