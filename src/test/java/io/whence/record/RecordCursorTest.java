package io.whence.record;

import static io.whence.testkit.BatchBuilder.batch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class RecordCursorTest {
  private static final long DAY_MS = 86_400_000L;

  private final RecordCursor cursor = new RecordCursor(1 << 20);

  @Test
  void outOfOrderTimestamps_eachRecordHasItsOwn() {
    assertThat(stamps(batch(40).records(100, 999, 200).build()))
        .containsExactly("40@100", "41@999", "42@200");
  }

  @Test
  void deltasBeyond32Bits_exact() {
    assertThat(stamps(batch(0).records(60 * DAY_MS, 0, 120 * DAY_MS, Long.MAX_VALUE).build()))
        .containsExactly("0@" + 60 * DAY_MS, "1@0", "2@" + 120 * DAY_MS, "3@" + Long.MAX_VALUE);
  }

  @Test
  void gaps_offsetsFromDeltas() {
    assertThat(
            stamps(
                batch(40).recordAt(3, 1).recordAt(4, 2).recordAt(9, 3).lastOffsetDelta(20).build()))
        .containsExactly("43@1", "44@2", "49@3");
  }

  @Test
  void logAppendTime_batchMaximumForEveryRecord() {
    assertThat(stamps(batch(0).records(1, 2, 3).logAppendTime(500).build()))
        .containsExactly("0@500", "1@500", "2@500");
  }

  @Test
  void deleteHorizon_recordsKeepTheirTimestamps() {
    assertThat(stamps(batch(0).records(100, 200).deleteHorizon(5_000_000).build()))
        .containsExactly("0@100", "1@200");
  }

  @Test
  void withoutTimestamps_minusOne() {
    assertThat(stamps(batch(0).records(-1, -1).build())).containsExactly("0@-1", "1@-1");
  }

  @Test
  void emptiedByCompaction_noRecords() {
    assertThat(stamps(batch(5).lastOffsetDelta(4).maxTimestamp(900).build())).isEmpty();
  }

  @Test
  void emptiedByCompactionWithCodec_noRecords() {
    ByteBuffer buffer = ByteBuffer.wrap(batch(5).lastOffsetDelta(4).build());
    buffer.putShort(BatchFormat.ATTRIBUTES, (short) CompressionCodec.ZSTD.id());
    assertThat(stamps(buffer.array())).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void fieldsInAnyOrder_sameValues(CompressionCodec codec) {
    SourceRecord record =
        new SourceRecord(
            7,
            null,
            new byte[] {1, 2},
            List.of(
                new SourceRecord.Header("a", new byte[] {3}), new SourceRecord.Header("b", null)));
    reset(batch(0).codec(codec).record(record).record(8).build());

    assertThat(cursor.next()).isTrue();
    assertThat(cursor.headers())
        .satisfiesExactly(
            first -> assertThat(first.value()).containsExactly(3),
            second -> assertThat(second.value()).isNull());
    assertThat(cursor.value()).containsExactly(1, 2);
    assertThat(cursor.key()).isNull();
    assertThat(cursor.value()).containsExactly(1, 2);
    assertThat(cursor.next()).isTrue();
    assertThat(cursor.key()).asString().isEqualTo("k1");
  }

  @Test
  void cursorBeforeFirstRecord_hasNoFields() {
    reset(batch(0).record(1).build());
    assertThatThrownBy(cursor::key).isInstanceOf(IllegalStateException.class);
  }

  @ParameterizedTest
  @EnumSource
  void countTooHigh_rejected(CompressionCodec codec) {
    byte[] bytes = batch(0).codec(codec).records(1, 2).build();
    ByteBuffer.wrap(bytes).putInt(BatchFormat.RECORD_COUNT, 3);
    assertInvalid(bytes, "expected 3 records, found 2");
  }

  @ParameterizedTest
  @EnumSource
  void countTooLow_rejected(CompressionCodec codec) {
    byte[] bytes = batch(0).codec(codec).records(1, 2).build();
    ByteBuffer.wrap(bytes).putInt(BatchFormat.RECORD_COUNT, 1);
    assertInvalid(bytes, "expected the end after 1 records, found");
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, Integer.MIN_VALUE})
  void negativeCount_rejected(int count) {
    byte[] bytes = batch(0).records(1, 2).build();
    ByteBuffer.wrap(bytes).putInt(BatchFormat.RECORD_COUNT, count);
    assertInvalid(bytes, "expected a record count, found " + count);
  }

  @Test
  void offsetBeyondLastOffset_rejected() {
    assertInvalid(
        batch(0).recordAt(0, 1).recordAt(5, 2).lastOffsetDelta(4).build(),
        "expected an offset delta of 1 to 4, found 5");
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 2, 3})
  void offsetNotAboveTheOneBefore_rejected(int delta) {
    assertInvalid(
        batch(0).recordAt(3, 1).recordAt(delta, 2).lastOffsetDelta(9).build(),
        "expected an offset delta of 4 to 9, found " + delta);
  }

  @Test
  void recordLengthBeyondBatch_rejected() {
    assertInvalid(withRecordBytes(0x7E, 0, 0, 0, 1, 1, 0), "expected a record of 0 to 6 bytes");
  }

  @Test
  void negativeRecordLength_rejected() {
    assertInvalid(withRecordBytes(0x01), "found length -1");
  }

  @Test
  void varintBeyond32Bits_rejected() {
    assertInvalid(withRecordBytes(0xFF, 0xFF, 0xFF, 0xFF, 0x1F), "expected a varint of 32 bits");
    assertInvalid(withRecordBytes(0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1), "expected a varint of 32 bits");
  }

  @Test
  void varlongBeyond64Bits_rejected() {
    assertInvalid(
        withRecordBytes(30, 0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 3, 0, 1, 1, 0),
        "expected a varint of 64 bits");
  }

  @Test
  void keyBeyondRecord_rejected() {
    assertInvalid(withRecordBytes(12, 0, 0, 0, 6, 1, 0), "expected a key of 0 to 2 bytes");
  }

  @Test
  void headerCountWithoutHeaders_rejected() {
    assertInvalid(
        withRecordBytes(20, 0, 0, 0, 1, 1, 0xFE, 0xFF, 0xFF, 0xFF, 0x0F), "found the end of it");
    assertInvalid(withRecordBytes(12, 0, 0, 0, 1, 1, 1), "expected a header count, found -1");
  }

  @Test
  void bytesAfterHeaders_rejected() {
    assertInvalid(withRecordBytes(14, 0, 0, 0, 1, 1, 0, 9), "after its headers, found 1 bytes");
  }

  @ParameterizedTest
  @EnumSource(names = "NONE", mode = EnumSource.Mode.EXCLUDE)
  void compressedGarbage_rejectedWithCause(CompressionCodec codec) {
    byte[] bytes = withRecordBytes(9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9);
    ByteBuffer.wrap(bytes).putShort(BatchFormat.ATTRIBUTES, (short) codec.id());
    assertThatThrownBy(() -> stamps(bytes))
        .isInstanceOf(InvalidBatchException.class)
        .hasMessageContaining(codec.name())
        .hasCauseInstanceOf(Exception.class);
  }

  @ParameterizedTest
  @EnumSource(names = "NONE", mode = EnumSource.Mode.EXCLUDE)
  void decompressedBeyondLimit_rejected(CompressionCodec codec) {
    byte[] bytes =
        batch(0)
            .codec(codec)
            .record(new SourceRecord(1, null, new byte[1 << 20], List.of()))
            .build();
    assertInvalid(bytes, "expected at most 1048576 bytes of decompressed records");
  }

  @ParameterizedTest
  @EnumSource
  void decompressedExactlyLimit_read(CompressionCodec codec) {
    byte[] plain = batch(0).record(new SourceRecord(1, null, new byte[200_000], List.of())).build();
    RecordCursor exact = new RecordCursor(plain.length - BatchFormat.RECORDS);
    byte[] bytes =
        batch(0)
            .codec(codec)
            .record(new SourceRecord(1, null, new byte[200_000], List.of()))
            .build();

    exact.reset(new RecordBatch().wrap(ByteBuffer.wrap(bytes), 0));

    assertThat(exact.next()).isTrue();
    assertThat(exact.value()).hasSize(200_000);
    assertThat(exact.next()).isFalse();
  }

  @Test
  void afterFailure_nextBatchReadsNormally() {
    byte[] bad = batch(0).codec(CompressionCodec.GZIP).records(1, 2).build();
    bad[BatchFormat.RECORDS] ^= 0x55;
    assertThatThrownBy(() -> stamps(bad)).isInstanceOf(InvalidBatchException.class);
    assertThat(cursor.next()).isFalse();
    assertThat(stamps(batch(3).record(4).build())).containsExactly("3@4");
  }

  @Test
  void truncatedBatch_rejected() {
    byte[] bytes = batch(0).records(1, 2).build();
    ByteBuffer cut = ByteBuffer.wrap(bytes).limit(bytes.length - 1);
    assertThatThrownBy(() -> cursor.reset(new RecordBatch().wrap(cut, 0)))
        .isInstanceOf(InvalidBatchException.class)
        .hasMessageContaining("as its length says");
  }

  private void reset(byte[] bytes) {
    cursor.reset(new RecordBatch().wrap(ByteBuffer.wrap(bytes), 0));
  }

  private List<String> stamps(byte[] bytes) {
    reset(bytes);
    List<String> stamps = new ArrayList<>();
    while (cursor.next()) {
      stamps.add(cursor.offset() + "@" + cursor.timestampMs());
      cursor.headers();
    }
    return stamps;
  }

  private void assertInvalid(byte[] bytes, String message) {
    assertThatThrownBy(() -> stamps(bytes))
        .isInstanceOf(InvalidBatchException.class)
        .hasMessageContaining(message);
  }

  /** Makes an uncompressed batch that says it holds one record, from these bytes. */
  private static byte[] withRecordBytes(int... recordBytes) {
    ByteBuffer buffer = ByteBuffer.allocate(BatchFormat.RECORDS + recordBytes.length);
    buffer.put(batch(0).lastOffsetDelta(0).build());
    for (int recordByte : recordBytes) {
      buffer.put((byte) recordByte);
    }
    return buffer
        .putInt(BatchFormat.LENGTH, buffer.limit() - BatchFormat.UNCOUNTED_BYTES)
        .putInt(BatchFormat.RECORD_COUNT, 1)
        .array();
  }
}
