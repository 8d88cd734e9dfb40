package io.whence.grpc;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.MessageLite;
import com.google.protobuf.WireFormat;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Protobuf fields in bytes that grow and are used again. Numbers are written without a look at the
 * room that is left: who writes calls {@link #ensure} before. Thread safety: single-writer.
 */
final class MessageBytes {
  /** A tag and a number take so much at the most, with fields below 16. */
  static final int MAX_NUMBER_BYTES = 1 + 10;

  private static final int INITIAL_BYTES = 4096;
  private static final int LENGTH_BYTES = 5;
  private static final int MORE = 0x80;
  private static final int SEVEN_BITS = 0x7f;
  private static final int TAG_TYPE_BITS = 3;

  private byte[] bytes = new byte[INITIAL_BYTES];
  private int position;

  byte[] array() {
    return bytes;
  }

  /** Returns where the next byte goes. */
  int position() {
    return position;
  }

  /** Goes on elsewhere. */
  void moveTo(int newPosition) {
    position = newPosition;
  }

  /** Makes room for so many bytes. */
  void ensure(int room) {
    if (bytes.length - position < room) {
      int needed = Math.addExact(position, room);
      // As much again, up to what an array can have.
      long doubled = Math.min(2L * bytes.length, Integer.MAX_VALUE - Long.BYTES);
      bytes = Arrays.copyOf(bytes, (int) Math.max(needed, doubled));
    }
  }

  /** Writes a number that is there even if it is 0. */
  void number(int field, long value) {
    bytes[position++] = (byte) ((field << TAG_TYPE_BITS) | WireFormat.WIRETYPE_VARINT);
    varint(value);
  }

  /** Writes a number, unless it is 0: then it is not there, and its absence means 0. */
  void numberUnlessZero(int field, long value) {
    if (value != 0) {
      number(field, value);
    }
  }

  /** Writes that something holds. */
  void flag(int field) {
    number(field, 1);
  }

  /** Writes a text, unless it is empty; makes room for it. */
  void text(int field, String text) {
    if (!text.isEmpty()) {
      byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
      ensure(1 + LENGTH_BYTES + utf8.length);
      lengthDelimited(field, utf8.length);
      System.arraycopy(utf8, 0, bytes, position, utf8.length);
      position += utf8.length;
    }
  }

  /** Writes a message; makes room for it. */
  void message(int field, MessageLite message) {
    int size = message.getSerializedSize();
    ensure(1 + LENGTH_BYTES + size);
    lengthDelimited(field, size);
    try {
      message.writeTo(CodedOutputStream.newInstance(bytes, position, size));
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory failed", e);
    }
    position += size;
  }

  /** Writes what comes before a nested message. */
  void lengthDelimited(int field, int length) {
    bytes[position++] = (byte) ((field << TAG_TYPE_BITS) | WireFormat.WIRETYPE_LENGTH_DELIMITED);
    varint(length);
  }

  /** Begins a nested message of less than 128 bytes, whose length is one byte. */
  int beginShort(int field) {
    lengthDelimited(field, 0);
    return position;
  }

  /** Ends it. */
  void endShort(int begun) {
    bytes[begun - 1] = (byte) (position - begun);
  }

  private void varint(long value) {
    byte[] to = bytes;
    int at = position;
    long rest = value;
    while ((rest & ~SEVEN_BITS) != 0) {
      to[at++] = (byte) ((rest & SEVEN_BITS) | MORE);
      rest >>>= 7;
    }
    to[at++] = (byte) rest;
    position = at;
  }

  /** Returns how many bytes a number takes without its tag. */
  static int varintBytes(long value) {
    return CodedOutputStream.computeUInt64SizeNoTag(value);
  }
}
