package io.whence.noop;

import io.grpc.MethodDescriptor;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** Messages that stay bytes. Thread safety: immutable. */
final class ByteMarshaller implements MethodDescriptor.Marshaller<byte[]> {
  @Override
  public InputStream stream(byte[] message) {
    return new StoredBytes(message);
  }

  @Override
  public byte[] parse(InputStream stream) {
    try {
      return stream.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
