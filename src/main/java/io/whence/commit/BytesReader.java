package io.whence.commit;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Reads Kafka's primitive types from front to back. What isn't there ends in a {@link
 * MalformedRecordException}. Thread safety: single-writer.
 */
final class BytesReader {
  private final ByteBuffer bytes;
  private final String what;

  /**
   * Makes a reader.
   *
   * @param what is read, for messages
   */
  BytesReader(byte[] bytes, String what) {
    this.bytes = ByteBuffer.wrap(bytes);
    this.what = what;
  }

  byte readByte() {
    return need(1, "a byte").get();
  }

  short readShort() {
    return need(Short.BYTES, "an int16").getShort();
  }

  int readInt() {
    return need(Integer.BYTES, "an int32").getInt();
  }

  long readLong() {
    return need(Long.BYTES, "an int64").getLong();
  }

  /** Reads text after an int16 length. */
  String readString() {
    String text = readNullableString();
    if (text == null) {
      throw malformed("text", "null");
    }
    return text;
  }

  /** Reads text after an int16 length; null for a negative one. */
  @Nullable String readNullableString() {
    short length = readShort();
    return length < 0 ? null : text(length);
  }

  /** Reads text after an unsigned varint, which is its length and 1. */
  String readCompactString() {
    int length = readUnsignedVarint() - 1;
    if (length < 0) {
      throw malformed("text", "null");
    }
    return text(length);
  }

  int readUnsignedVarint() {
    int value = 0;
    for (int shift = 0; shift < Integer.SIZE; shift += 7) {
      byte next = readByte();
      value |= (next & 0x7f) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw malformed("an unsigned varint of at most 5 bytes", "more");
  }

  byte[] readBytes(int length) {
    if (length < 0) {
      throw malformed("a length", Integer.toString(length));
    }
    need(length, length + " bytes");
    byte[] read = new byte[length];
    bytes.get(read);
    return read;
  }

  MalformedRecordException malformed(String expected, String found) {
    return new MalformedRecordException(
        what + " at byte " + bytes.position() + ": expected " + expected + ", found " + found);
  }

  private String text(int length) {
    return length == 0 ? "" : new String(readBytes(length), StandardCharsets.UTF_8);
  }

  private ByteBuffer need(int count, String expected) {
    if (bytes.remaining() < count) {
      throw malformed(expected, bytes.remaining() + " bytes");
    }
    return bytes;
  }
}
