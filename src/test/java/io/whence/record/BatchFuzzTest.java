package io.whence.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Damaged bytes whose CRC nobody checked end in a normal result or an InvalidBatchException. */
class BatchFuzzTest {
  private static final int ROUNDS = 6_000;
  private static final int MAX_DECOMPRESSED_BYTES = 1 << 20;
  private static final long MAX_BYTES_PER_BATCH = 32L << 20;

  private final RecordCursor cursor = new RecordCursor(MAX_DECOMPRESSED_BYTES);
  private final RecordBatch batch = new RecordBatch();

  @Test
  void damagedBatches_readOrRejected() {
    long seed = new Random().nextLong();
    System.out.println("BatchFuzzTest.damagedBatches seed " + seed);
    int rejected =
        assertTimeoutPreemptively(
            Duration.ofMinutes(2), () -> rejectedOfDamaged(seed), () -> "seed " + seed);

    assertThat(rejected).isBetween(ROUNDS / 10, ROUNDS - ROUNDS / 100);
  }

  @Test
  void noise_rejectedOrRead() {
    long seed = new Random().nextLong();
    System.out.println("BatchFuzzTest.noise seed " + seed);
    Random random = new Random(seed);
    int rejected = 0;
    for (int round = 0; round < ROUNDS; round++) {
      byte[] bytes = new byte[BatchFormat.RECORDS + random.nextInt(300)];
      random.nextBytes(bytes);
      makeFrameLookRight(bytes, random);
      rejected += isRejected(bytes, seed, round) ? 1 : 0;
    }

    // Only batches that say they have no records and have no bytes for them can be read.
    assertThat(rejected).isGreaterThan(ROUNDS - ROUNDS / 20);
  }

  private static void makeFrameLookRight(byte[] bytes, Random random) {
    ByteBuffer.wrap(bytes)
        .putLong(BatchFormat.BASE_OFFSET, random.nextInt(1_000))
        .putInt(BatchFormat.LENGTH, bytes.length - BatchFormat.UNCOUNTED_BYTES)
        .put(BatchFormat.MAGIC, BatchFormat.MAGIC_V2)
        .putShort(BatchFormat.ATTRIBUTES, (short) random.nextInt(5))
        .putInt(BatchFormat.LAST_OFFSET_DELTA, random.nextInt(1_000))
        .putInt(BatchFormat.RECORD_COUNT, random.nextInt(1_000));
  }

  private int rejectedOfDamaged(long seed) {
    Random random = new Random(seed);
    RandomRecords records = new RandomRecords(random);
    CompressionCodec[] codecs = CompressionCodec.values();
    int rejected = 0;
    for (int round = 0; round < ROUNDS; round++) {
      CompressionCodec codec = codecs[random.nextInt(codecs.length)];
      ByteBuffer batch = RecordBatchBuilder.createTime(records.next(20), codec, 0);
      byte[] bytes = Arrays.copyOf(batch.array(), batch.limit());
      rejected += isRejected(damage(bytes, random), seed, round) ? 1 : 0;
    }
    return rejected;
  }

  private static byte[] damage(byte[] bytes, Random random) {
    byte[] damaged = bytes.clone();
    for (int i = random.nextInt(4); i >= 0; i--) {
      damaged[anyPosition(damaged.length, random)] ^= (byte) (1 << random.nextInt(8));
    }
    if (random.nextInt(4) == 0) {
      Arrays.fill(damaged, anyPosition(damaged.length, random), damaged.length, (byte) -1);
    }
    if (random.nextInt(4) == 0) {
      damaged = Arrays.copyOf(damaged, random.nextInt(damaged.length));
      if (damaged.length >= BatchFormat.RECORDS && random.nextBoolean()) {
        ByteBuffer.wrap(damaged)
            .putInt(BatchFormat.LENGTH, damaged.length - BatchFormat.UNCOUNTED_BYTES);
      }
    }
    return damaged;
  }

  private static int anyPosition(int length, Random random) {
    // Half of the damage at the start: headers, and the lengths that codecs believe.
    return random.nextInt(random.nextBoolean() ? Math.min(length, 90) : length);
  }

  private boolean isRejected(byte[] bytes, long seed, int round) {
    long before = allocatedBytes();
    try {
      readEverything(bytes);
      return false;
    } catch (InvalidBatchException e) {
      return true;
    } catch (RuntimeException e) {
      throw new AssertionError("seed " + seed + " round " + round, e);
    } finally {
      assertThat(allocatedBytes() - before)
          .as("bytes allocated, seed %d round %d", seed, round)
          .isLessThan(MAX_BYTES_PER_BATCH);
    }
  }

  private void readEverything(byte[] bytes) {
    cursor.reset(batch.wrap(ByteBuffer.wrap(bytes), 0));
    int count = 0;
    while (cursor.next()) {
      assertThat(cursor.offset()).isBetween(batch.baseOffset(), batch.lastOffset());
      cursor.key();
      cursor.value();
      cursor.headers();
      count++;
    }
    assertThat(count).isEqualTo(batch.recordCount());
  }

  private static long allocatedBytes() {
    return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean())
        .getCurrentThreadAllocatedBytes();
  }
}
