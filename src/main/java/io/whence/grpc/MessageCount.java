package io.whence.grpc;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.WireFormat;
import java.io.IOException;

/**
 * Counts the messages in a request before they are made: an empty one takes two bytes of the
 * request and thirty times as much of the memory. Thread safety: single-writer.
 */
final class MessageCount {
  /** A request at all limits of a call has less. */
  static final int LIMIT = 250_000;

  private static final int MAX_DEPTH = 32;

  private final CodedInputStream in;
  private int count;

  private MessageCount(CodedInputStream in) {
    this.in = in;
  }

  /**
   * Returns whether there are more than {@link #LIMIT} messages and unknown fields in a message.
   *
   * @throws IOException if the bytes are no message
   */
  static boolean isTooLarge(Descriptor type, byte[] bytes) throws IOException {
    MessageCount messages = new MessageCount(CodedInputStream.newInstance(bytes));
    messages.add(type, 0);
    return messages.count > LIMIT;
  }

  private void add(Descriptor type, int depth) throws IOException {
    for (int tag = in.readTag(); tag != 0 && count <= LIMIT; tag = in.readTag()) {
      FieldDescriptor field = type.findFieldByNumber(WireFormat.getTagFieldNumber(tag));
      boolean isDelimited = WireFormat.getTagWireType(tag) == WireFormat.WIRETYPE_LENGTH_DELIMITED;
      boolean isMessage =
          field != null && isDelimited && field.getJavaType() == FieldDescriptor.JavaType.MESSAGE;
      if (field == null || isMessage) {
        count++;
      }
      if (isMessage && depth < MAX_DEPTH) {
        int outer = in.pushLimit(in.readRawVarint32());
        add(field.getMessageType(), depth + 1);
        in.skipRawBytes(Math.max(0, in.getBytesUntilLimit()));
        in.popLimit(outer);
      } else if (!in.skipField(tag)) {
        return; // The end of a group that nobody began; parsing tells.
      }
    }
  }
}
