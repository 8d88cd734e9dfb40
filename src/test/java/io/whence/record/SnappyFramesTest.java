package io.whence.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class SnappyFramesTest {
  private static final byte[] HEADER = {
    (byte) 0x82, 'S', 'N', 'A', 'P', 'P', 'Y', 0, 0, 0, 0, 1, 0, 0, 0, 1
  };

  @Test
  void soundFrames_accepted() {
    ByteBuffer data =
        ByteBuffer.allocate(100).put(HEADER).putInt(2).put(block(5, 2)).put(HEADER).putInt(1);
    data.put(block(3, 1)).flip();

    assertThatCode(() -> SnappyFrames.check(data, 5)).doesNotThrowAnyException();
    assertThat(data.position()).isZero();
  }

  @Test
  void chunkBeyondEnd_rejected() {
    assertRejected(frame(4, block(5, 3)), "snappy chunk of at most 3 bytes, found one of 4");
    assertRejected(frame(1 << 29, block(5, 3)), "found one of 536870912");
    assertRejected(frame(-1, block(5, 3)), "found one of -1");
  }

  @Test
  void blockAboveLimit_rejected() {
    assertRejected(frame(3, block(101, 3)), "found a snappy block of 101");
    assertRejected(frame(5, new byte[] {-1, -1, -1, -1, 15}), "found a snappy block of 4294967295");
  }

  @Test
  void bareBlockAboveLimit_rejected() {
    assertThatCode(() -> SnappyFrames.check(ByteBuffer.wrap(block(100, 30)), 100))
        .doesNotThrowAnyException();
    assertRejected(ByteBuffer.wrap(block(101, 30)), "found a snappy block of 101");
  }

  @Test
  void headerAfterHeader_rejected() {
    ByteBuffer data = ByteBuffer.allocate(32).put(HEADER).put(HEADER).flip();
    assertRejected(data, "snappy chunk");
  }

  private static void assertRejected(ByteBuffer data, String message) {
    assertThatThrownBy(() -> SnappyFrames.check(data, 100))
        .isInstanceOf(InvalidBatchException.class)
        .hasMessageContaining(message);
  }

  private static ByteBuffer frame(int chunkSize, byte[] chunk) {
    return ByteBuffer.allocate(HEADER.length + 4 + chunk.length)
        .put(HEADER)
        .putInt(chunkSize)
        .put(chunk)
        .flip();
  }

  /** Makes a block that says it decompresses to a length below 128. */
  private static byte[] block(int decompressedLength, int size) {
    byte[] block = new byte[size];
    block[0] = (byte) decompressedLength;
    return block;
  }
}
