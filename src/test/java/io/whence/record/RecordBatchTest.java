package io.whence.record;

import static io.whence.testkit.BatchBuilder.batch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.model.TimestampType;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class RecordBatchTest {
  private final RecordBatch view = new RecordBatch();

  @Test
  void batchBehindOthers_readsItsOwnFields() {
    byte[] first = batch(5).records(1, 2).build();
    byte[] second =
        batch(7)
            .leaderEpoch(3)
            .producer(11, 4)
            .baseSequence(12)
            .transactional()
            .codec(CompressionCodec.LZ4)
            .records(100, 50, 70)
            .lastOffsetDelta(9)
            .build();
    ByteBuffer buffer = ByteBuffer.allocate(first.length + second.length).put(first).put(second);

    view.wrap(buffer, 0).wrap(buffer, first.length);

    assertThat(view.position()).isEqualTo(first.length);
    assertThat(view.baseOffset()).isEqualTo(7);
    assertThat(view.lastOffset()).isEqualTo(16);
    assertThat(view.nextOffset()).isEqualTo(17);
    assertThat(view.sizeInBytes()).isEqualTo(second.length);
    assertThat(view.partitionLeaderEpoch()).isEqualTo(3);
    assertThat(view.magic()).isEqualTo((byte) 2);
    assertThat(view.isCrcValid()).isTrue();
    assertThat(view.codec()).isEqualTo(CompressionCodec.LZ4);
    assertThat(view.timestampType()).isEqualTo(TimestampType.CREATE_TIME);
    assertThat(view.isTransactional()).isTrue();
    assertThat(view.isControl()).isFalse();
    assertThat(view.hasDeleteHorizon()).isFalse();
    assertThat(view.baseTimestampMs()).isEqualTo(100);
    assertThat(view.maxTimestampMs()).isEqualTo(100);
    assertThat(view.producerId()).isEqualTo(11);
    assertThat(view.producerEpoch()).isEqualTo((short) 4);
    assertThat(view.baseSequence()).isEqualTo(12);
    assertThat(view.recordCount()).isEqualTo(3);
  }

  @Test
  void reading_leavesPositionAndLimit() {
    byte[] bytes = batch(0).records(1, 2).build();
    ByteBuffer buffer = ByteBuffer.allocate(200).put(3, bytes).position(50).limit(150);

    assertThat(view.wrap(buffer, 3).isCrcValid()).isTrue();

    assertThat(buffer.position()).isEqualTo(50);
    assertThat(buffer.limit()).isEqualTo(150);
  }

  @Test
  void limitMovedAfterWrap_crcStillComputed() {
    byte[] bytes = batch(0).records(1, 2).build();
    ByteBuffer buffer = ByteBuffer.allocate(200).limit(0);
    view.wrap(buffer, 0);
    buffer.clear().put(bytes).flip();

    assertThat(view.wrap(buffer, 0).isCrcValid()).isTrue();
  }

  @Test
  void unknownCodec_rejected() {
    ByteBuffer buffer = ByteBuffer.wrap(batch(0).record(1).build());
    buffer.putShort(BatchFormat.ATTRIBUTES, (short) 5);

    assertThatThrownBy(() -> view.wrap(buffer, 0).codec())
        .isInstanceOf(InvalidBatchException.class)
        .hasMessageContaining("codec 5");
  }
}
