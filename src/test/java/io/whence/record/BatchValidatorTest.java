package io.whence.record;

import static io.whence.testkit.BatchBuilder.batch;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class BatchValidatorTest {
  private static final long START_OF_LOG = -1;

  private final ByteBuffer buffer = ByteBuffer.wrap(batch(10).records(1, 2, 3).build());
  private final int size = buffer.limit();
  private final RecordBatch view = new RecordBatch().wrap(buffer, 0);

  @Test
  void soundBatch_noFault() {
    assertThat(BatchValidator.fault(view, size, 9)).isEmpty();
    assertThat(BatchValidator.headerFault(view, size, 9)).isEmpty();
    assertThat(BatchValidator.fault(view, Long.MAX_VALUE, START_OF_LOG)).isEmpty();
  }

  @Test
  void sixtyBytesLeft_headerMissing() {
    assertThat(BatchValidator.fault(view, 60, START_OF_LOG))
        .contains(new BatchFault("a batch header of 61 bytes", "60 bytes"));
    assertThat(BatchValidator.fault(new RecordBatch(), 0, START_OF_LOG))
        .contains(new BatchFault("a batch header of 61 bytes", "0 bytes"));
  }

  @Test
  void lengthBelowHeader_tooSmall() {
    buffer.putInt(BatchFormat.LENGTH, 48);
    assertBothFault(size, START_OF_LOG, "a batch length of at least 49", "length 48");
    buffer.putInt(BatchFormat.LENGTH, -1);
    assertBothFault(size, START_OF_LOG, "a batch length of at least 49", "length -1");
  }

  @Test
  void oneByteMissing_runsPastTheEnd() {
    assertBothFault(
        size - 1,
        START_OF_LOG,
        "a batch of " + size + " bytes, as its length says",
        (size - 1) + " bytes");
  }

  @Test
  void largestLength_runsPastTheEnd() {
    buffer.putInt(BatchFormat.LENGTH, Integer.MAX_VALUE);
    assertBothFault(
        size, START_OF_LOG, "a batch of 2147483659 bytes, as its length says", size + " bytes");
  }

  @Test
  void olderMagic_named() {
    buffer.put(BatchFormat.MAGIC, (byte) 1);
    assertBothFault(size, START_OF_LOG, "magic 2", "magic 1");
  }

  @Test
  void flippedBit_onlyFullCheckSeesIt() {
    int crc = view.crc();
    buffer.put(size - 1, (byte) (buffer.get(size - 1) ^ 1));

    BatchFault fault = BatchValidator.fault(view, size, START_OF_LOG).orElseThrow();
    assertThat(fault.expected()).isEqualTo("CRC-32C 0x%08x".formatted(crc));
    assertThat(fault.found()).isEqualTo("CRC-32C 0x%08x".formatted(view.computeCrc()));
    assertThat(BatchValidator.headerFault(view, size, START_OF_LOG)).isEmpty();
  }

  @Test
  void lastOffsetBelowBaseOffset_named() {
    buffer.putInt(BatchFormat.LAST_OFFSET_DELTA, -1);
    fixCrc();
    assertBothFault(
        size, START_OF_LOG, "a last offset of at least the base offset 10", "last offset 9");
  }

  @Test
  void lastOffsetBeyondLong_named() {
    buffer.putLong(BatchFormat.BASE_OFFSET, Long.MAX_VALUE);
    assertBothFault(
        size,
        START_OF_LOG,
        "a last offset of at least the base offset " + Long.MAX_VALUE,
        "last offset " + (Long.MIN_VALUE + 1));
  }

  @Test
  void baseOffsetNotAbovePrevious_named() {
    assertBothFault(size, 10, "a base offset above 10", "base offset 10");
  }

  @Test
  void severalFaults_firstOfTheOrder() {
    buffer.put(BatchFormat.MAGIC, (byte) 0).putInt(BatchFormat.LENGTH, 0);
    assertBothFault(size, 10, "a batch length of at least 49", "length 0");
  }

  private void assertBothFault(long remaining, long previous, String expected, String found) {
    Optional<BatchFault> fault = Optional.of(new BatchFault(expected, found));
    assertThat(BatchValidator.fault(view, remaining, previous)).isEqualTo(fault);
    assertThat(BatchValidator.headerFault(view, remaining, previous)).isEqualTo(fault);
  }

  private void fixCrc() {
    buffer.putInt(BatchFormat.CRC, view.computeCrc());
  }
}
