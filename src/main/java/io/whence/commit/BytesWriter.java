package io.whence.commit;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Writes Kafka's primitive types; grows as needed. Thread safety: single-writer. */
final class BytesWriter {
  private ByteBuffer bytes;

  /** Makes a writer with room for some bytes. */
  BytesWriter(int capacity) {
    bytes = ByteBuffer.allocate(capacity);
  }

  BytesWriter writeByte(int value) {
    need(1).put((byte) value);
    return this;
  }

  BytesWriter writeShort(int value) {
    need(Short.BYTES).putShort((short) value);
    return this;
  }

  BytesWriter writeInt(int value) {
    need(Integer.BYTES).putInt(value);
    return this;
  }

  BytesWriter writeLong(long value) {
    need(Long.BYTES).putLong(value);
    return this;
  }

  BytesWriter writeBytes(byte[] value) {
    need(value.length).put(value);
    return this;
  }

  /** Writes text after an int16 length. */
  BytesWriter writeString(byte[] utf8) {
    if (utf8.length > Short.MAX_VALUE) {
      throw new IllegalArgumentException(
          "text has " + utf8.length + " bytes of UTF-8; " + Short.MAX_VALUE + " are allowed");
    }
    return writeShort(utf8.length).writeBytes(utf8);
  }

  /** Writes text after an unsigned varint, which is its length and 1. */
  BytesWriter writeCompactString(String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    return writeUnsignedVarint(utf8.length + 1).writeBytes(utf8);
  }

  BytesWriter writeUnsignedVarint(int value) {
    int rest = value;
    while ((rest & ~0x7f) != 0) {
      writeByte((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    return writeByte(rest);
  }

  byte[] toBytes() {
    byte[] written = new byte[bytes.position()];
    bytes.flip();
    bytes.get(written);
    return written;
  }

  private ByteBuffer need(int count) {
    if (bytes.remaining() < count) {
      ByteBuffer larger =
          ByteBuffer.allocate(Math.max(bytes.capacity() * 2, bytes.position() + count));
      larger.put(bytes.flip());
      bytes = larger;
    }
    return bytes;
  }
}
