package io.whence.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import io.whence.record.RecordBatch;
import io.whence.record.RecordCursor;
import io.whence.record.SourceRecord;
import io.whence.testkit.BatchBuilder;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Records that are too large for the memory are not copied. */
class RecordCollectorTest {
  private static final int LARGEST = 1_000;

  /** At offset 10 a small one, at 11 a large one, at 12 a small one. */
  private final RecordBatch batch =
      new RecordBatch()
          .wrap(
              ByteBuffer.wrap(
                  BatchBuilder.batch(10)
                      .record(1)
                      .record(new SourceRecord(2, null, new byte[LARGEST], List.of()))
                      .record(3)
                      .build()),
              0);

  private RecordCollector collected(long offset) {
    RecordCollector collector = new RecordCollector(offset, 10, 1 << 20, LARGEST);
    RecordCursor cursor = new RecordCursor(1 << 20);
    cursor.reset(batch);
    while (cursor.next() && collector.visit(batch, cursor)) {
      assertThat(collector.isFull()).isFalse();
    }
    return collector;
  }

  @Test
  void tooLargeOne_endsWhatIsBeforeIt() {
    RecordCollector collector = collected(10);
    assertThat(collector.records()).hasSize(1);
    assertThat(collector.isFull()).isTrue();
    assertThat(collector.nextOffset(13)).isEqualTo(11);
  }

  @Test
  void tooLargeOne_failsWhereItIsTheFirst_andSaysHowToGoOn() {
    assertThatThrownBy(() -> collected(11))
        .isInstanceOfSatisfying(
            WhenceException.class,
            e -> {
              assertThat(e.reason()).isEqualTo(ErrorReason.UNSUPPORTED);
              assertThat(e.getMessage()).contains("offset 11", "read from the next offset on");
              assertThat(e.metadata()).containsEntry("limit_bytes", "1000");
            });
  }

  @Test
  void whatLiesBehindIt_isRead() {
    assertThat(collected(12).records()).hasSize(1);
  }
}
