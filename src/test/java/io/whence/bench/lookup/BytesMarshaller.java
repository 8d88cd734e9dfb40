package io.whence.bench.lookup;

import io.grpc.MethodDescriptor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** Messages that stay bytes. Thread safety: immutable. */
final class BytesMarshaller implements MethodDescriptor.Marshaller<byte[]> {
  private BytesMarshaller() {}

  /** Returns a unary method whose messages stay bytes. */
  static MethodDescriptor<byte[], byte[]> method(String service, String name) {
    return MethodDescriptor.<byte[], byte[]>newBuilder()
        .setType(MethodDescriptor.MethodType.UNARY)
        .setFullMethodName(MethodDescriptor.generateFullMethodName(service, name))
        .setRequestMarshaller(new BytesMarshaller())
        .setResponseMarshaller(new BytesMarshaller())
        .build();
  }

  @Override
  public InputStream stream(byte[] message) {
    return new ByteArrayInputStream(message);
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
