package io.whence.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.testkit.BatchBuilder;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

class ControlMarkerTest {
  @Test
  void transactionMarkers_told() {
    assertThat(markerOf(BatchBuilder.commit(4, 1, 0, 100))).isEqualTo(ControlMarker.COMMIT);
    assertThat(markerOf(BatchBuilder.abort(4, 1, 0, 100))).isEqualTo(ControlMarker.ABORT);
  }

  @Test
  void otherTypes_other() {
    assertThat(markerOf(controlBatch(0, 0, 0, 2))).isEqualTo(ControlMarker.OTHER);
    assertThat(markerOf(controlBatch(0, 0, 1, 0))).isEqualTo(ControlMarker.OTHER);
    assertThat(markerOf(controlBatch(0, 0, 255, 255))).isEqualTo(ControlMarker.OTHER);
  }

  @Test
  void newerVersionWithMoreBytes_typeRead() {
    assertThat(markerOf(controlBatch(0, 9, 0, 1, 42))).isEqualTo(ControlMarker.COMMIT);
  }

  @Test
  void emptiedByCompaction_other() {
    assertThat(markerOf(BatchBuilder.batch(3).control().build())).isEqualTo(ControlMarker.OTHER);
  }

  @Test
  void shortKey_rejected() {
    assertThatThrownBy(() -> markerOf(controlBatch(0, 0, 1)))
        .isInstanceOf(InvalidBatchException.class)
        .hasMessageContaining("found 3 bytes");
  }

  private static ControlMarker markerOf(byte[] bytes) {
    RecordBatch batch = new RecordBatch().wrap(ByteBuffer.wrap(bytes), 0);
    assertThat(batch.isControl()).isTrue();
    return ControlMarker.of(batch, new RecordCursor(1_000));
  }

  private static byte[] controlBatch(int... keyBytes) {
    byte[] key = new byte[keyBytes.length];
    for (int i = 0; i < key.length; i++) {
      key[i] = (byte) keyBytes[i];
    }
    return BatchBuilder.batch(3)
        .control()
        .record(new SourceRecord(5, key, null, List.of()))
        .build();
  }
}
