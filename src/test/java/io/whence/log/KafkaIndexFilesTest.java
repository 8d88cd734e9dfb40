package io.whence.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.model.TimestampType;
import io.whence.testkit.Directories;
import io.whence.testkit.Fixtures;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Kafka's index files as we derive them, against Kafka's rule and the files of a broker. */
class KafkaIndexFilesTest {
  private static Path fixture = Path.of("");

  @TempDir Path directory;

  /** Kafka's rule, batch by batch, as it is written down for its own segments. */
  private static final class KafkaRule {
    private final long baseOffset;
    private final int intervalBytes;
    private final List<String> offsetEntries = new ArrayList<>();
    private final List<String> timeEntries = new ArrayList<>();
    private long largestMs = -1;
    private long largestOffset;
    private long lastWrittenMs = -1;
    private int sinceLastEntry;
    private int position;

    KafkaRule(long baseOffset, int intervalBytes) {
      this.baseOffset = baseOffset;
      this.intervalBytes = intervalBytes;
    }

    void append(BatchStats batch) {
      if (batch.headerMaxMs() > largestMs) {
        largestMs = batch.headerMaxMs();
        largestOffset = batch.lastOffset();
      }
      if (sinceLastEntry > intervalBytes) {
        offsetEntries.add((batch.lastOffset() - baseOffset) + "@" + position);
        writeTime();
        sinceLastEntry = 0;
      }
      sinceLastEntry += batch.sizeBytes();
      position += batch.sizeBytes();
    }

    void close() {
      writeTime();
    }

    private void writeTime() {
      if (largestMs > lastWrittenMs) {
        lastWrittenMs = largestMs;
        timeEntries.add(largestMs + "->" + (largestOffset - baseOffset));
      }
    }
  }

  @BeforeAll
  static void unpack() {
    fixture = Fixtures.unpack("ordered-plain", Directories.temporary("whence-indexes"));
  }

  @AfterAll
  static void delete() {
    Directories.delete(fixture);
  }

  @Test
  void entries_randomBatches_equalKafkasRule() throws IOException {
    long seed = Long.getLong("whence.oracle.seed", System.nanoTime());
    System.out.println("KafkaIndexFilesTest seed=" + seed);
    Random random = new Random(seed);
    for (int round = 0; round < 200; round++) {
      long base = random.nextInt(1000);
      int interval = random.nextInt(random.nextBoolean() ? 300 : 5000);
      SegmentIndexBuilder builder = new SegmentIndexBuilder(base, interval);
      KafkaRule rule = new KafkaRule(base, interval);
      for (int i = random.nextInt(100); i > 0; i--) {
        long first = builder.nextOffset() + random.nextInt(2);
        BatchStats batch =
            batch(first, first + random.nextInt(9), 61 + random.nextInt(900), timeOf(random, i));
        builder.add(batch);
        rule.append(batch);
      }
      rule.close();

      assertThat(offsetEntries(builder.build())).isEqualTo(rule.offsetEntries);
      assertThat(timeEntries(builder.build())).isEqualTo(rule.timeEntries);
    }
  }

  private static long timeOf(Random random, int index) {
    return random.nextInt(10) == 0 ? -1 : 1000 - index + random.nextInt(5);
  }

  @Test
  void offsetEntries_batchesOf1071Bytes_comeEveryFourth() throws IOException {
    SegmentIndexBuilder builder = new SegmentIndexBuilder(0, 4096);
    for (int i = 0; i < 14; i++) {
      builder.add(batch(i, i, 1071, i));
    }

    assertThat(offsetEntries(builder.build())).containsExactly("4@4284", "8@8568", "12@12852");
    assertThat(timeEntries(builder.build())).containsExactly("4->4", "8->8", "12->12", "13->13");
  }

  @Test
  void entries_oneBatch_areOnlyTheClosingOne() throws IOException {
    SegmentIndexBuilder builder = new SegmentIndexBuilder(40, 0);
    builder.add(batch(40, 49, 100, 490));

    assertThat(offsetEntries(builder.build())).isEmpty();
    assertThat(timeEntries(builder.build())).containsExactly("490->9");
  }

  @Test
  void entries_nothingOrNoTimestamp_areNone() throws IOException {
    SegmentIndexBuilder builder = new SegmentIndexBuilder(0, 0);
    assertThat(timeEntries(builder.build())).isEmpty();
    builder.add(batch(0, 0, 100, -1));
    builder.add(batch(1, 1, 100, -1));

    assertThat(offsetEntries(builder.build())).containsExactly("1@100");
    assertThat(timeEntries(builder.build())).isEmpty();
  }

  @Test
  void entries_everyBatchIndexed_followTheMaximum() throws IOException {
    SegmentIndexBuilder ascending = new SegmentIndexBuilder(0, 1);
    SegmentIndexBuilder disordered = new SegmentIndexBuilder(0, 1);
    long[] times = {1, 0, 2};
    for (int i = 0; i < 3; i++) {
      ascending.add(batch(i, i, 70, i));
      disordered.add(batch(i, i, 70, times[i]));
    }

    assertThat(offsetEntries(ascending.build())).containsExactly("1@70", "2@140");
    assertThat(timeEntries(ascending.build())).containsExactly("1->1", "2->2");
    assertThat(offsetEntries(disordered.build())).containsExactly("1@70", "2@140");
    assertThat(timeEntries(disordered.build())).containsExactly("1->0", "2->2");
  }

  @ParameterizedTest
  @CsvSource({
    "orders-0, 0, 4096",
    "orders-0, 3911, 4096",
    "orders-1, 0, 4096",
    "orders-2, 0, 4096",
    "orders.i64-0, 0, 64",
    "orders.i64-0, 169, 64",
    "orders.i64-0, 348, 64",
    "orders.i64-0, 509, 64",
    "orders_i100000-0, 0, 100000",
  })
  void files_ofABroker_areOurs(String dir, long baseOffset, int intervalBytes) throws IOException {
    Path partition = fixture.resolve(dir);
    SegmentIndex index = scan(partition, baseOffset, intervalBytes);

    assertThat(derived(index, SegmentNames.OFFSET_INDEX))
        .isEqualTo(read(partition, baseOffset, SegmentNames.OFFSET_INDEX));
    assertThat(derived(index, SegmentNames.TIME_INDEX))
        .isEqualTo(read(partition, baseOffset, SegmentNames.TIME_INDEX));
  }

  @Test
  void repair_missingWrongAndRight_writesTheFirstTwoAndNamesTheWrong() throws IOException {
    SegmentIndexBuilder builder = new SegmentIndexBuilder(5, 1);
    for (int i = 5; i < 9; i++) {
      builder.add(batch(i, i, 70, i));
    }
    Path wrong = SegmentNames.path(directory, 5, SegmentNames.TIME_INDEX);
    Files.write(wrong, new byte[12_000]);

    assertThat(KafkaIndexFiles.repair(directory, builder.build())).containsExactly(wrong);
    assertThat(KafkaIndexFiles.repair(directory, builder.build())).isEmpty();
    try (Stream<Path> files = Files.list(directory)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder(
              "00000000000000000005.index", "00000000000000000005.timeindex");
    }
    assertThat(Files.readAllBytes(wrong)).hasSize(3 * 12);
  }

  private static SegmentIndex scan(Path partition, long baseOffset, int intervalBytes)
      throws IOException {
    SegmentFile file =
        new SegmentFile(SegmentNames.path(partition, baseOffset, SegmentNames.LOG), false);
    try {
      SegmentIndexBuilder builder = new SegmentIndexBuilder(baseOffset, intervalBytes);
      return new SegmentScanner(
              file, file.size(), builder, SegmentScanner.OnFault.STOP, OptionalLong.empty())
          .scan()
          .index();
    } finally {
      file.close();
    }
  }

  private static byte[] read(Path partition, long baseOffset, String suffix) throws IOException {
    return Files.readAllBytes(SegmentNames.path(partition, baseOffset, suffix));
  }

  private byte[] derived(SegmentIndex index, String suffix) throws IOException {
    KafkaIndexFiles.repair(directory, index);
    return read(directory, index.baseOffset(), suffix);
  }

  private List<String> offsetEntries(SegmentIndex index) throws IOException {
    ByteBuffer in = ByteBuffer.wrap(derived(index, SegmentNames.OFFSET_INDEX));
    List<String> entries = new ArrayList<>();
    while (in.hasRemaining()) {
      entries.add(in.getInt() + "@" + in.getInt());
    }
    return entries;
  }

  private List<String> timeEntries(SegmentIndex index) throws IOException {
    ByteBuffer in = ByteBuffer.wrap(derived(index, SegmentNames.TIME_INDEX));
    List<String> entries = new ArrayList<>();
    while (in.hasRemaining()) {
      entries.add(in.getLong() + "->" + in.getInt());
    }
    return entries;
  }

  private static BatchStats batch(long baseOffset, long lastOffset, int size, long headerMaxMs) {
    return new BatchStats.Timestamps(TimestampType.CREATE_TIME, 0)
        .toStats(baseOffset, lastOffset, size, headerMaxMs, TransactionEvent.NONE);
  }
}
