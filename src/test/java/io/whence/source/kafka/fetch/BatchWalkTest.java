package io.whence.source.kafka.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.record.BatchFormat;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BatchWalkTest {
  private static final int SIZE = 80;

  private final BatchWalk walk = new BatchWalk();

  /** A batch of no meaning, but for its header. */
  private static byte[] batch(long baseOffset, int lastOffsetDelta, int epoch) {
    return ByteBuffer.allocate(SIZE)
        .putLong(BatchFormat.BASE_OFFSET, baseOffset)
        .putInt(BatchFormat.LENGTH, SIZE - BatchFormat.UNCOUNTED_BYTES)
        .putInt(BatchFormat.PARTITION_LEADER_EPOCH, epoch)
        .put(BatchFormat.MAGIC, BatchFormat.MAGIC_V2)
        .putInt(BatchFormat.LAST_OFFSET_DELTA, lastOffsetDelta)
        .array();
  }

  private static ByteBuffer buffer(byte[]... batches) {
    ByteBuffer buffer = ByteBuffer.allocate(batches.length * SIZE);
    for (byte[] batch : batches) {
      buffer.put(batch);
    }
    return buffer.flip();
  }

  @Test
  void nothing_staysWhereItIs() {
    walk.walk(buffer(), new FetchPosition(7, 2));

    assertThat(walk.end()).isZero();
    assertThat(walk.next()).isEqualTo(new FetchPosition(7, 2));
    assertThat(walk.fault()).isEmpty();
  }

  @Test
  void severalBatches_goesBehindTheLast() {
    walk.walk(buffer(batch(5, 4, 1), batch(20, 0, 3)), new FetchPosition(7, 1));

    assertThat(walk.end()).isEqualTo(2 * SIZE);
    assertThat(walk.next()).isEqualTo(new FetchPosition(21, 3));
  }

  @ParameterizedTest
  @CsvSource({"0", "1", "11", "12", "16", "17", "60", "61", "79"})
  void cutOffBatch_isNotThereYet(int bytes) {
    ByteBuffer buffer = buffer(batch(5, 4, 1), batch(10, 0, 1)).limit(SIZE + bytes);

    walk.walk(buffer, new FetchPosition(5, -1));

    assertThat(walk.end()).isEqualTo(SIZE);
    assertThat(walk.next()).isEqualTo(new FetchPosition(10, 1));
    assertThat(walk.fault()).isEmpty();
  }

  @Test
  void batchBelowThePosition_doesNotMoveItBack() {
    walk.walk(buffer(batch(2, 1, 0)), new FetchPosition(9, 0));

    assertThat(walk.next()).isEqualTo(new FetchPosition(9, 0));
  }

  @Test
  void offsetsThatGoBack_endBeforeThem() {
    walk.walk(buffer(batch(5, 4, 1), batch(8, 0, 1)), new FetchPosition(5, -1));

    assertThat(walk.end()).isEqualTo(SIZE);
    assertThat(walk.next()).isEqualTo(new FetchPosition(10, 1));
    assertThat(walk.fault()).isPresent();
    assertThat(walk.isOldFormat()).isFalse();
  }

  @Test
  void oldFormat_isKnown() {
    byte[] old = batch(5, 0, 0);
    old[BatchFormat.MAGIC] = 1;

    walk.walk(buffer(old), new FetchPosition(5, -1));

    assertThat(walk.end()).isZero();
    assertThat(walk.fault()).isPresent();
    assertThat(walk.isOldFormat()).isTrue();
  }

  @Test
  void tooSmallLength_isAFault() {
    byte[] broken = batch(5, 0, 0);
    ByteBuffer.wrap(broken).putInt(BatchFormat.LENGTH, -100);

    walk.walk(buffer(broken), new FetchPosition(5, -1));

    assertThat(walk.end()).isZero();
    assertThat(walk.fault()).isPresent();
    assertThat(walk.isOldFormat()).isFalse();
  }
}
