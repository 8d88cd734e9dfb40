package io.whence.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.testkit.BatchBuilder;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.Test;

/** Our batches and Kafka's are the same. */
class BatchOracleTest {
  private static final int ROUNDS = 2_500;

  private final long seed = new Random().nextLong();
  private final Random random = new Random(seed);
  private final RandomRecords randomRecords = new RandomRecords(random);

  @Test
  void batchesWrittenByKafka_readTheSame() {
    System.out.println("BatchOracleTest.batchesWrittenByKafka seed " + seed);
    for (int round = 0; round < ROUNDS; round++) {
      ByteBuffer buffer = inAnyKindOfBuffer(writtenByKafka(randomRecords.next(30)));

      assertThat(ReadRecord.byCursor(buffer))
          .as("seed %d round %d", seed, round)
          .isEqualTo(ReadRecord.byKafka(buffer));
      assertSameHeader(buffer, "seed " + seed + " round " + round);
    }
  }

  @Test
  void batchesWrittenByUs_areValidAndReadTheSame() {
    System.out.println("BatchOracleTest.batchesWrittenByUs seed " + seed);
    for (int round = 0; round < ROUNDS; round++) {
      List<SourceRecord> records = randomRecords.next(30);
      long baseOffset = random.nextLong() >>> 2;
      CompressionCodec codec = codec();
      ByteBuffer batch =
          random.nextInt(4) == 0
              ? RecordBatchBuilder.logAppendTime(records, codec, random.nextLong() >>> 1)
              : RecordBatchBuilder.createTime(records, codec, random.nextInt(100) - 50);
      RecordBatchBuilder.assignOffsets(batch, baseOffset, random.nextInt(100));
      ByteBuffer buffer = inAnyKindOfBuffer(batch);

      List<ReadRecord> byKafka = ReadRecord.byKafka(buffer);
      assertThat(ReadRecord.byCursor(buffer))
          .as("seed %d round %d", seed, round)
          .isEqualTo(byKafka);
      assertThat(byKafka).hasSize(records.size());
      assertSameHeader(buffer, "seed " + seed + " round " + round);
    }
  }

  @Test
  void compactedAndTransactionalBatches_readTheSame() {
    System.out.println("BatchOracleTest.compactedAndTransactional seed " + seed);
    for (int round = 0; round < ROUNDS; round++) {
      ByteBuffer buffer = inAnyKindOfBuffer(ByteBuffer.wrap(unusual()));

      assertThat(ReadRecord.byCursor(buffer))
          .as("seed %d round %d", seed, round)
          .isEqualTo(ReadRecord.byKafka(buffer));
      assertSameHeader(buffer, "seed " + seed + " round " + round);
    }
  }

  private byte[] unusual() {
    long baseOffset = random.nextInt(1_000_000);
    if (random.nextInt(10) == 0) {
      return BatchBuilder.abort(baseOffset, random.nextInt(9), random.nextInt(9), 1_000);
    }
    BatchBuilder builder = BatchBuilder.batch(baseOffset).codec(codec());
    int delta = 0;
    if (random.nextInt(10) > 0) {
      for (SourceRecord record : randomRecords.next(30)) {
        delta += random.nextInt(5);
        builder.recordAt(delta++, record);
      }
    }
    builder.lastOffsetDelta(delta + random.nextInt(5)).maxTimestamp(random.nextInt(1_000_000));
    if (random.nextBoolean()) {
      builder.deleteHorizon(random.nextLong() >>> 1);
    }
    if (random.nextBoolean()) {
      builder.producer(random.nextInt(9), random.nextInt(9)).baseSequence(random.nextInt(99));
    }
    if (random.nextInt(4) == 0) {
      builder.logAppendTime(random.nextInt(1_000_000));
    }
    return builder.build();
  }

  private ByteBuffer writtenByKafka(List<SourceRecord> records) {
    TimestampType type =
        random.nextInt(4) == 0 ? TimestampType.LOG_APPEND_TIME : TimestampType.CREATE_TIME;
    Compression compression = Compression.of(CompressionType.forId(codec().id())).build();
    MemoryRecordsBuilder builder =
        MemoryRecords.builder(
            ByteBuffer.allocate(4096),
            (byte) 2,
            compression,
            type,
            random.nextLong() >>> 2,
            type == TimestampType.CREATE_TIME ? -1 : random.nextLong() >>> 1,
            random.nextInt(100));
    for (SourceRecord record : records) {
      RecordHeader[] headers =
          record.headers().stream()
              .map(header -> new RecordHeader(header.key(), header.value()))
              .toArray(RecordHeader[]::new);
      builder.append(new SimpleRecord(record.timestampMs(), record.key(), record.value(), headers));
    }
    return builder.build().buffer();
  }

  private void assertSameHeader(ByteBuffer buffer, String round) {
    MutableRecordBatch kafkas =
        MemoryRecords.readableRecords(buffer.duplicate()).batches().iterator().next();
    RecordBatch ours = new RecordBatch().wrap(buffer, 0);
    assertThat(BatchValidator.fault(ours, buffer.limit(), -1)).as(round).isEmpty();
    assertThat(ours.baseOffset()).as(round).isEqualTo(kafkas.baseOffset());
    assertThat(ours.lastOffset()).as(round).isEqualTo(kafkas.lastOffset());
    assertThat(ours.nextOffset()).as(round).isEqualTo(kafkas.nextOffset());
    assertThat(ours.sizeInBytes()).as(round).isEqualTo(kafkas.sizeInBytes());
    assertThat(ours.partitionLeaderEpoch()).as(round).isEqualTo(kafkas.partitionLeaderEpoch());
    assertThat(ours.crc() & 0xFFFFFFFFL).as(round).isEqualTo(kafkas.checksum());
    assertThat(ours.codec().id()).as(round).isEqualTo(kafkas.compressionType().id);
    assertThat(ours.timestampType().name()).as(round).isEqualTo(kafkas.timestampType().name());
    assertThat(ours.isTransactional()).as(round).isEqualTo(kafkas.isTransactional());
    assertThat(ours.isControl()).as(round).isEqualTo(kafkas.isControlBatch());
    assertThat(ours.hasDeleteHorizon()).as(round).isEqualTo(kafkas.deleteHorizonMs().isPresent());
    assertThat(ours.maxTimestampMs()).as(round).isEqualTo(kafkas.maxTimestamp());
    assertThat(ours.producerId()).as(round).isEqualTo(kafkas.producerId());
    assertThat(ours.producerEpoch()).as(round).isEqualTo(kafkas.producerEpoch());
    assertThat(ours.baseSequence()).as(round).isEqualTo(kafkas.baseSequence());
    assertThat(ours.recordCount()).as(round).isEqualTo(kafkas.countOrNull());
  }

  private CompressionCodec codec() {
    CompressionCodec[] codecs = CompressionCodec.values();
    return codecs[random.nextInt(codecs.length)];
  }

  /** Maps of files are direct and often read-only, what comes from clients is on the heap. */
  private ByteBuffer inAnyKindOfBuffer(ByteBuffer batch) {
    ByteBuffer copy =
        random.nextBoolean()
            ? ByteBuffer.allocateDirect(batch.remaining())
            : ByteBuffer.allocate(batch.remaining());
    copy.put(batch.duplicate()).flip();
    return random.nextBoolean() ? copy.asReadOnlyBuffer() : copy;
  }
}
