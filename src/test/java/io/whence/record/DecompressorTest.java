package io.whence.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import org.apache.kafka.common.utils.internals.ByteBufferOutputStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DecompressorTest {
  private static final int LIMIT = 1 << 20;
  private static final int HEAP = 256 << 10;
  private static final LargeBatches ANY = new LargeBatches(LIMIT);

  private static ByteBuffer zeros(CompressionCodec codec, int count) throws IOException {
    ByteBufferOutputStream out = new ByteBufferOutputStream(1 << 16);
    try (OutputStream compressing = codec.compression().wrapForOutput(out, (byte) 2)) {
      compressing.write(new byte[count]);
    }
    return out.buffer().flip();
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void moreThanTheHeapHasRoomFor_isNoFaultOfTheBatch(CompressionCodec codec) throws IOException {
    Decompressor decompressor = new Decompressor(LIMIT, HEAP, ANY);
    ByteBuffer large = zeros(codec, HEAP + 1);

    assertThatThrownBy(() -> decompressor.decompress(codec, large, Cancellation.NONE))
        .isInstanceOfSatisfying(
            WhenceException.class, e -> assertThat(e.reason()).isEqualTo(ErrorReason.UNSUPPORTED))
        .hasMessageContainingAll("262144 bytes", "-Xmx");

    decompressor.decompress(codec, zeros(codec, HEAP - 1), Cancellation.NONE);
    assertThat(decompressor.size()).isEqualTo(HEAP - 1);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void moreThanABatchMayHave_isAFaultOfTheBatch(CompressionCodec codec) throws IOException {
    Decompressor decompressor = new Decompressor(LIMIT, 4 * LIMIT, ANY);

    ByteBuffer large = zeros(codec, LIMIT + 1);

    assertThatThrownBy(() -> decompressor.decompress(codec, large, Cancellation.NONE))
        .isInstanceOf(InvalidBatchException.class);
    decompressor.decompress(codec, zeros(codec, LIMIT), Cancellation.NONE);
    assertThat(decompressor.size()).isEqualTo(LIMIT);
  }
}
