package io.whence.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.testkit.BatchBuilder;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.junit.jupiter.api.Test;

/** Kafka's own classes read from stripped batches what they read from the originals. */
class BatchStripperTest {
  private static final int ROUNDS = 3_000;
  private static final int MAX_BYTES = 1 << 20;

  private final long seed = new Random().nextLong();
  private final Random random = new Random(seed);
  private final RandomRecords randomRecords = new RandomRecords(random);
  private final BatchStripper stripper = new BatchStripper(MAX_BYTES);

  /** What a sink was told. */
  private record Told(long offset, long timestampMs) {}

  @Test
  void anyBatch_readByKafka_hasTheSameRecordsWithoutPayload() {
    System.out.println("BatchStripperTest.anyBatch seed " + seed);
    int stripped = 0;
    for (int round = 0; round < ROUNDS; round++) {
      if (random.nextInt(10) == 0) {
        stripper.clear();
      }
      byte[] original = batch();
      RecordBatch batch = new RecordBatch().wrap(ByteBuffer.wrap(original), 0);
      long from = random.nextInt(3) > 0 ? 0 : between(batch.baseOffset() - 2, batch.lastOffset());

      assertStripped(original, from, "seed " + seed + " round " + round);
      stripped++;
    }
    assertThat(stripped).isEqualTo(ROUNDS);
  }

  private long between(long low, long high) {
    return low + random.nextInt((int) (high - low + 1));
  }

  private void assertStripped(byte[] original, long from, String round) {
    MutableRecordBatch expected = kafkas(ByteBuffer.wrap(original));
    int start = stripper.sizeInBytes();
    List<Told> told = new ArrayList<>();
    long baseOffset = Math.max(from, expected.baseOffset());

    stripper.strip(
        new RecordBatch().wrap(ByteBuffer.wrap(original), 0),
        from,
        (delta, timestampMs) -> told.add(new Told(baseOffset + delta, timestampMs)));

    ByteBuffer made = stripper.bytes().position(start).slice();
    RecordBatch ours = new RecordBatch().wrap(made, 0);
    assertThat(BatchValidator.fault(ours, made.limit(), -1)).as(round).isEmpty();
    assertThat(ours.sizeInBytes()).as(round).isEqualTo(made.limit());
    MutableRecordBatch found = kafkas(made);
    found.ensureValid();
    assertSameHeader(found, expected, baseOffset, round);
    List<Told> records = new ArrayList<>();
    List<Record> left = new ArrayList<>();
    for (Record record : expected) {
      if (record.offset() >= from) {
        records.add(new Told(record.offset(), record.timestamp()));
        left.add(record);
      }
    }
    assertThat(told).as(round).isEqualTo(records);
    assertSameRecords(found, left, expected.isControlBatch(), round);
  }

  private static void assertSameHeader(
      MutableRecordBatch found, MutableRecordBatch expected, long baseOffset, String round) {
    assertThat(found.baseOffset()).as(round).isEqualTo(baseOffset);
    assertThat(found.lastOffset()).as(round).isEqualTo(expected.lastOffset());
    assertThat(found.maxTimestamp()).as(round).isEqualTo(expected.maxTimestamp());
    assertThat(found.timestampType()).as(round).isEqualTo(expected.timestampType());
    assertThat(found.deleteHorizonMs()).as(round).isEqualTo(expected.deleteHorizonMs());
    assertThat(found.partitionLeaderEpoch()).as(round).isEqualTo(expected.partitionLeaderEpoch());
    assertThat(found.producerId()).as(round).isEqualTo(expected.producerId());
    assertThat(found.producerEpoch()).as(round).isEqualTo(expected.producerEpoch());
    assertThat(found.lastSequence()).as(round).isEqualTo(expected.lastSequence());
    assertThat(found.isTransactional()).as(round).isEqualTo(expected.isTransactional());
    assertThat(found.isControlBatch()).as(round).isEqualTo(expected.isControlBatch());
    assertThat(found.isCompressed()).as(round).isFalse();
  }

  private static void assertSameRecords(
      MutableRecordBatch found, List<Record> expected, boolean isControl, String round) {
    int i = 0;
    for (Record record : found) {
      Record original = expected.get(i++);
      assertThat(record.offset()).as(round).isEqualTo(original.offset());
      assertThat(record.timestamp()).as(round).isEqualTo(original.timestamp());
      assertThat(record.sequence()).as(round).isEqualTo(original.sequence());
      assertThat(record.headers()).as(round).isEmpty();
      if (isControl) {
        assertThat(record.key()).as(round).isEqualTo(original.key());
        assertThat(record.value()).as(round).isEqualTo(original.value());
        assertThat(ControlRecordType.parse(record.key()))
            .as(round)
            .isEqualTo(ControlRecordType.parse(original.key()));
      } else {
        assertThat(record.hasKey() || record.hasValue()).as(round).isFalse();
      }
    }
    assertThat(i).as(round).isEqualTo(expected.size());
  }

  private static MutableRecordBatch kafkas(ByteBuffer buffer) {
    return MemoryRecords.readableRecords(buffer).batches().iterator().next();
  }

  private byte[] batch() {
    long baseOffset = 5 + random.nextInt(1_000_000);
    int producer = random.nextInt(9);
    int kind = random.nextInt(20);
    if (kind == 0) {
      return BatchBuilder.abort(baseOffset, producer, random.nextInt(9), 1_000);
    } else if (kind == 1) {
      return BatchBuilder.commit(baseOffset, producer, random.nextInt(9), 1_000);
    }
    BatchBuilder builder = BatchBuilder.batch(baseOffset).codec(codec());
    int delta = random.nextInt(3);
    if (random.nextInt(10) > 0) {
      for (SourceRecord record : randomRecords.next(200)) {
        builder.recordAt(delta, record);
        delta += 1 + (random.nextInt(4) == 0 ? random.nextInt(100) : 0);
      }
    }
    builder.lastOffsetDelta(delta + random.nextInt(5)).leaderEpoch(random.nextInt(9) - 1);
    dress(builder, producer);
    return builder.build();
  }

  private void dress(BatchBuilder builder, int producer) {
    if (random.nextInt(4) == 0) {
      builder.deleteHorizon(random.nextLong() >>> 1);
    }
    if (random.nextBoolean()) {
      int sequence = random.nextBoolean() ? random.nextInt(99) : Integer.MAX_VALUE - 1;
      builder.producer(producer, random.nextInt(9)).baseSequence(sequence);
      if (random.nextBoolean()) {
        builder.transactional();
      }
    }
    if (random.nextInt(4) == 0) {
      builder.logAppendTime(random.nextInt(1_000_000));
    } else if (random.nextInt(4) == 0) {
      builder.maxTimestamp(random.nextInt(1_000_000));
    }
  }

  private CompressionCodec codec() {
    return CompressionCodec.values()[random.nextInt(CompressionCodec.values().length)];
  }

  @Test
  void brokenRecords_nothingMade_andTheNextIsWhole() {
    byte[] good = BatchBuilder.batch(5).records(1, 2, 3).build();
    byte[] bad = BatchBuilder.batch(8).codec(CompressionCodec.LZ4).records(4, 5).build();
    bad[BatchFormat.RECORDS + 1] ^= 1;
    stripper.strip(new RecordBatch().wrap(ByteBuffer.wrap(good), 0), 0, RecordSink.NOTHING);
    int size = stripper.sizeInBytes();

    assertThatThrownBy(
            () ->
                stripper.strip(
                    new RecordBatch().wrap(ByteBuffer.wrap(bad), 0), 0, RecordSink.NOTHING))
        .isInstanceOf(InvalidBatchException.class);

    assertThat(stripper.sizeInBytes()).isEqualTo(size);
    assertStripped(BatchBuilder.batch(10).records(7, 8).build(), 0, "behind the broken one");
  }

  @Test
  void hundredBytesOfPayload_lessThanTenBytesARecord() {
    BatchBuilder builder = BatchBuilder.batch(0);
    for (int i = 0; i < 1_000; i++) {
      builder.record(new SourceRecord(1_000_000 + i, null, new byte[100], List.of()));
    }
    byte[] batch = builder.build();

    stripper.strip(new RecordBatch().wrap(ByteBuffer.wrap(batch), 0), 0, RecordSink.NOTHING);

    assertThat(stripper.sizeInBytes()).isBetween(7_000, 10_000);
  }
}
