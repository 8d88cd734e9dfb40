package io.whence.grpc;

import io.grpc.Drainable;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * A message that is encoded already: a range of bytes. Its bytes are used again after it was sent,
 * which works because gRPC copies a message that can be drained while it is being sent. Thread
 * safety: single-writer.
 */
final class EncodedMessage {
  private final byte[] bytes;
  private final int offset;
  private final int length;

  EncodedMessage(byte[] bytes, int offset, int length) {
    this.bytes = bytes;
    this.offset = offset;
    this.length = length;
  }

  int length() {
    return length;
  }

  /** Returns a message of all bytes of an array. */
  static EncodedMessage of(byte[] bytes) {
    return new EncodedMessage(bytes, 0, bytes.length);
  }

  /** Returns a marshaller that sends such messages as they are. */
  static MethodDescriptor.Marshaller<EncodedMessage> marshaller() {
    return new Marshaller();
  }

  private static final class Marshaller implements MethodDescriptor.Marshaller<EncodedMessage> {
    @Override
    public InputStream stream(EncodedMessage message) {
      return new DrainableBytes(message);
    }

    @Override
    public EncodedMessage parse(InputStream stream) {
      throw new IllegalStateException("a server receives no responses");
    }
  }

  private static final class DrainableBytes extends ByteArrayInputStream
      implements Drainable, KnownLength {
    DrainableBytes(EncodedMessage message) {
      super(message.bytes, message.offset, message.length);
    }

    @Override
    public int drainTo(OutputStream target) throws IOException {
      int drained = count - pos;
      target.write(buf, pos, drained);
      pos = count;
      return drained;
    }
  }
}
