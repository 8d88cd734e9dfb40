package io.whence.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.model.TimestampType;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RecordBatchBuilderTest {
  private final RecordBatch view = new RecordBatch();

  @ParameterizedTest
  @EnumSource
  void randomRecords_comeBack(CompressionCodec codec) {
    long seed = new Random().nextLong();
    System.out.println("RecordBatchBuilderTest seed " + seed);
    List<SourceRecord> records = new RandomRecords(new Random(seed)).next(500);
    ByteBuffer batch = RecordBatchBuilder.createTime(records, codec, -1);
    RecordBatchBuilder.assignOffsets(batch, 1_000, 3);

    List<ReadRecord> expected = new ArrayList<>();
    for (int i = 0; i < records.size(); i++) {
      expected.add(ReadRecord.of(1_000 + i, records.get(i)));
    }
    assertThat(ReadRecord.byCursor(batch)).as("seed %d", seed).isEqualTo(expected);
  }

  @Test
  void createTime_maxIsLargestAndDefaultFillsIn() {
    ByteBuffer batch =
        RecordBatchBuilder.createTime(
            List.of(record(50), record(-1), record(20)), CompressionCodec.NONE, 70);

    view.wrap(batch, 0);
    assertThat(view.maxTimestampMs()).isEqualTo(70);
    assertThat(view.baseTimestampMs()).isEqualTo(50);
    assertThat(ReadRecord.byCursor(batch))
        .extracting(ReadRecord::timestampMs)
        .containsExactly(50L, 70L, 20L);
  }

  @Test
  void createTimeWithoutAnyTimestamp_maxIsMinusOne() {
    view.wrap(
        RecordBatchBuilder.createTime(List.of(record(-1), record(-7)), CompressionCodec.NONE, -5),
        0);
    assertThat(view.maxTimestampMs()).isEqualTo(-1);
  }

  @Test
  void logAppendTime_everyRecordHasTheTimeOfTheLog() {
    ByteBuffer batch =
        RecordBatchBuilder.logAppendTime(
            List.of(record(50), record(-1)), CompressionCodec.ZSTD, 900);

    assertThat(view.wrap(batch, 0).timestampType()).isEqualTo(TimestampType.LOG_APPEND_TIME);
    assertThat(ReadRecord.byCursor(batch))
        .extracting(ReadRecord::timestampMs)
        .containsExactly(900L, 900L);
  }

  @Test
  void assignedOffsets_crcStaysValid() {
    ByteBuffer batch =
        RecordBatchBuilder.createTime(List.of(record(1), record(2)), CompressionCodec.LZ4, -1);

    RecordBatchBuilder.assignOffsets(batch, 77, 5);

    view.wrap(batch, 0);
    assertThat(view.baseOffset()).isEqualTo(77);
    assertThat(view.lastOffset()).isEqualTo(78);
    assertThat(view.partitionLeaderEpoch()).isEqualTo(5);
    assertThat(view.producerId()).isEqualTo(-1);
    assertThat(BatchValidator.fault(view, batch.limit(), 76)).isEmpty();
  }

  @Test
  void noRecords_rejected() {
    assertThatThrownBy(() -> RecordBatchBuilder.createTime(List.of(), CompressionCodec.NONE, 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> RecordBatchBuilder.logAppendTime(List.of(), CompressionCodec.NONE, 0))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static SourceRecord record(long timestampMs) {
    return new SourceRecord(timestampMs, null, new byte[10], List.of());
  }
}
