package io.whence.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.testkit.BatchBuilder;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.junit.jupiter.api.Test;

class BatchFilterTest {
  private static final int ROUNDS = 2_000;

  private final long seed = new Random().nextLong();
  private final Random random = new Random(seed);
  private final RandomRecords randomRecords = new RandomRecords(random);
  private final BatchFilter filter = new BatchFilter(10_000_000);

  @Test
  void filter_randomBatches_leaveValidBatchesWithWhatIsKept() {
    System.out.println("BatchFilterTest.filter seed " + seed);
    for (int round = 0; round < ROUNDS; round++) {
      String as = "seed " + seed + " round " + round;
      ByteBuffer original = ByteBuffer.wrap(batch());
      List<ReadRecord> records = ReadRecord.byKafka(original);
      BitSet kept = new BitSet();
      kept.set(random.nextInt(records.size()));
      for (int i = 0; i < records.size(); i++) {
        if (random.nextBoolean()) {
          kept.set(i);
        }
      }
      List<ReadRecord> expected = new ArrayList<>();
      kept.stream().forEach(i -> expected.add(records.get(i)));

      ByteBuffer made = filter.filter(new RecordBatch().wrap(original, 0), kept::get);

      assertThat(ReadRecord.byKafka(made)).as(as).isEqualTo(expected);
      assertThat(ReadRecord.byCursor(made)).as(as).isEqualTo(expected);
      assertSameFrame(made, original, as);
      assertThat(header(made).maxTimestamp())
          .as(as)
          .isEqualTo(expected.stream().mapToLong(ReadRecord::timestampMs).max().orElse(-1));
      assertThat(header(made).compressionType()).isEqualTo(header(original).compressionType());
      assertThat(header(made).deleteHorizonMs()).isEqualTo(header(original).deleteHorizonMs());
    }
  }

  @Test
  void emptied_randomBatches_areValidAndCoverTheOffsets() {
    System.out.println("BatchFilterTest.emptied seed " + seed);
    for (int round = 0; round < ROUNDS; round++) {
      String as = "seed " + seed + " round " + round;
      ByteBuffer original = ByteBuffer.wrap(batch());

      ByteBuffer made = BatchFilter.emptied(new RecordBatch().wrap(original, 0));

      assertThat(made.limit()).isEqualTo(BatchFormat.RECORDS);
      assertThat(ReadRecord.byKafka(made)).as(as).isEmpty();
      assertThat(ReadRecord.byCursor(made)).as(as).isEmpty();
      assertSameFrame(made, original, as);
      assertThat(header(made).maxTimestamp()).isEqualTo(-1);
    }
  }

  @Test
  void filter_nothingKept_isRefused() {
    RecordBatch batch = new RecordBatch().wrap(ByteBuffer.wrap(batch()), 0);
    assertThatThrownBy(() -> filter.filter(batch, i -> false))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static void assertSameFrame(ByteBuffer made, ByteBuffer original, String as) {
    assertThat(BatchValidator.fault(new RecordBatch().wrap(made, 0), made.limit(), -1))
        .as(as)
        .isEmpty();
    MutableRecordBatch ours = header(made);
    MutableRecordBatch theirs = header(original);
    assertThat(ours.baseOffset()).as(as).isEqualTo(theirs.baseOffset());
    assertThat(ours.lastOffset()).as(as).isEqualTo(theirs.lastOffset());
    assertThat(ours.partitionLeaderEpoch()).as(as).isEqualTo(theirs.partitionLeaderEpoch());
    assertThat(ours.timestampType()).as(as).isEqualTo(theirs.timestampType());
    assertThat(ours.producerId()).as(as).isEqualTo(theirs.producerId());
    assertThat(ours.producerEpoch()).as(as).isEqualTo(theirs.producerEpoch());
    assertThat(ours.baseSequence()).as(as).isEqualTo(theirs.baseSequence());
    assertThat(ours.lastSequence()).as(as).isEqualTo(theirs.lastSequence());
    assertThat(ours.isTransactional()).as(as).isEqualTo(theirs.isTransactional());
  }

  private static MutableRecordBatch header(ByteBuffer buffer) {
    return MemoryRecords.readableRecords(buffer.duplicate()).batches().iterator().next();
  }

  private byte[] batch() {
    CompressionCodec[] codecs = CompressionCodec.values();
    BatchBuilder builder =
        BatchBuilder.batch(random.nextLong() >>> 2)
            .codec(codecs[random.nextInt(codecs.length)])
            .leaderEpoch(random.nextInt(99));
    int delta = 0;
    for (SourceRecord record : randomRecords.next(30)) {
      delta += random.nextInt(3);
      builder.recordAt(delta++, record);
    }
    builder.lastOffsetDelta(delta + random.nextInt(5));
    if (random.nextInt(3) == 0) {
      builder.deleteHorizon(random.nextLong() >>> 1);
    }
    if (random.nextBoolean()) {
      builder.producer(random.nextInt(9), random.nextInt(9)).baseSequence(random.nextInt(99));
      if (random.nextBoolean()) {
        builder.transactional();
      }
    }
    if (random.nextInt(4) == 0) {
      builder.logAppendTime(random.nextInt(1_000_000));
    }
    return builder.build();
  }
}
