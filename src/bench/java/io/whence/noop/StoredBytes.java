package io.whence.noop;

import io.grpc.Drainable;
import io.grpc.KnownLength;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Bytes on their way to the wire, which gRPC takes at one go, as it does with protobuf messages.
 * Thread safety: single-writer.
 */
final class StoredBytes extends ByteArrayInputStream implements Drainable, KnownLength {
  StoredBytes(byte[] bytes) {
    super(bytes);
  }

  @Override
  public int drainTo(OutputStream target) throws IOException {
    int size = count - pos;
    target.write(buf, pos, size);
    pos = count;
    return size;
  }
}
