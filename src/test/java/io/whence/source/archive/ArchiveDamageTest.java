package io.whence.source.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.whence.log.Damage;
import io.whence.log.LogSnapshot;
import io.whence.log.OffsetCheckpoint;
import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.IsolationLevel;
import io.whence.model.OffsetRange;
import io.whence.model.Position.AtOrAfter;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.resolve.LogResolver;
import io.whence.testkit.Fixture.Partition;
import io.whence.testkit.Fixture.Query;
import io.whence.testkit.Fixtures;
import io.whence.testkit.OracleRecord;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Damage is told where it matters, and only there. */
class ArchiveDamageTest {
  private static final TopicPartition ORDERS = new TopicPartition("orders_i100000", 0);
  private static final TopicPartition KILLED = new TopicPartition("u", 0);

  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"kill9-corrupt", "kill9-truncated"})
  void salvage_keepsWhatLiesBehindDamage(String fixture) throws IOException {
    Path archive = Fixtures.unpack(fixture, directory.resolve("archive"));

    ArchiveSource source = Archives.load(ArchiveOptions.of(List.of(archive)).withSalvage(true));

    int refused = 0;
    for (Partition partition : Fixtures.load(fixture).partitions()) {
      SurvivingRecords left = SurvivingRecords.of(archive.resolve(partition.dir()));
      LogSnapshot log = source.snapshot(partition.topicPartition());
      assertThat(log.highWatermark()).as(partition.dir()).isEqualTo(left.nextOffset());
      DamageComparison comparison = new DamageComparison(log, left.records(), left.lost());
      comparison.compareAll(targets(partition));
      assertThat(comparison.answered()).isPositive();
      refused += comparison.refused();
    }
    assertThat(refused).isPositive();
  }

  @Test
  void salvage_damagedFirstSegment_keepsTheOthers() throws IOException {
    Path archive = Fixtures.unpack("kill9-corrupt", directory.resolve("archive"));
    TopicPartition partition = new TopicPartition("u", 1);

    LogSnapshot recovered = Archives.load(archive).snapshot(partition);
    ArchiveSource salvaging = Archives.load(ArchiveOptions.of(List.of(archive)).withSalvage(true));
    LogSnapshot salvaged = salvaging.snapshot(partition);

    assertThat(recovered.highWatermark()).isEqualTo(106);
    assertThat(recovered.segments()).hasSize(1);
    assertThat(salvaged.highWatermark()).isGreaterThan(500);
    assertThat(salvaged.segments()).hasSizeGreaterThan(2);
    assertThat(salvaged.damages())
        .singleElement()
        .satisfies(
            damage -> {
              assertThat(damage.range().startOffset()).isEqualTo(106);
              assertThat(damage.position()).isEqualTo(6668);
              assertThat(damage.path()).endsWith("u-1/00000000000000000000.log");
              assertThat(damage.expected()).startsWith("CRC-32C 0x");
            });
    assertThat(salvaging.warnings()).anyMatch(warning -> warning.contains("at byte 6668"));
  }

  @Test
  void damage_counts_failOnlyWhereItLies() throws IOException {
    Path archive = Fixtures.unpack("kill9-corrupt", directory.resolve("archive"));
    LogSnapshot log =
        Archives.load(ArchiveOptions.of(List.of(archive)).withSalvage(true))
            .snapshot(new TopicPartition("u", 1));
    OffsetRange lost = log.damages().get(0).range();

    assertThat(count(log, 0, lost.startOffset())).isEqualTo(lost.startOffset());
    assertThat(count(log, lost.endOffset(), log.highWatermark())).isPositive();
    assertThat(unread(log, lost.endOffset())).isPositive();
    assertThat(unread(log, log.highWatermark())).isZero();
    assertDamaged(() -> count(log, 0, lost.startOffset() + 1));
    assertDamaged(() -> count(log, lost.endOffset() - 1, log.highWatermark()));
    assertDamaged(() -> unread(log, 0));
    assertDamaged(() -> unread(log, lost.endOffset() - 1));
  }

  private static long count(LogSnapshot log, long start, long end) {
    return new LogResolver()
        .countRecords(
            log, new OffsetRange(start, end), IsolationLevel.READ_UNCOMMITTED, Cancellation.NONE);
  }

  private static long unread(LogSnapshot log, long fromOffset) {
    return new LogResolver()
        .unread(log, fromOffset, IsolationLevel.READ_UNCOMMITTED, Cancellation.NONE)
        .recordCount();
  }

  private static void assertDamaged(Runnable question) {
    WhenceException failure = catchThrowableOfType(WhenceException.class, question::run);
    assertThat(failure).isNotNull();
    assertThat(failure.reason()).isEqualTo(ErrorReason.DAMAGED_LOG);
  }

  @Test
  void flippedByteInClosedSegment_failsOnlyWhereItMatters() throws IOException {
    long seed = System.nanoTime();
    System.out.println("ArchiveDamageTest seed " + seed);
    Random random = new Random(seed);
    Path archive = Fixtures.unpack("ordered-plain", directory.resolve("archive"));
    ArchiveOptions options =
        ArchiveOptions.of(List.of(archive)).withCache(directory.resolve("cache"));
    Archives.load(options);
    Partition partition = Fixtures.load("ordered-plain").partition(ORDERS.toString());
    List<Long> bases = partition.segmentBaseOffsets();

    for (int i = 0; i < 40; i++) {
      long base = bases.get(random.nextInt(bases.size() - 1));
      Path log = archive.resolve(ORDERS.toString()).resolve("%020d.log".formatted(base));
      byte[] original = Files.readAllBytes(log);
      int position = flippable(original, random);
      compareFlipped(options, partition, log, position);
      Files.write(log, original);
    }
  }

  private void compareFlipped(ArchiveOptions options, Partition partition, Path log, int position)
      throws IOException {
    OffsetRange lost = offsetsAt(log, position);
    FileTime time = Files.getLastModifiedTime(log);
    flip(log, position);
    // The index of an earlier start is in the cache, and the file looks as it did then.
    Files.setLastModifiedTime(log, time);
    List<OracleRecord> left =
        Fixtures.records("ordered-plain", partition.dir()).stream()
            .filter(r -> !lost.intersects(r.offset(), r.offset() + 1))
            .toList();

    LogSnapshot snapshot = Archives.load(options).snapshot(ORDERS);

    DamageComparison comparison = new DamageComparison(snapshot, left, List.of(lost));
    comparison.compareAll(targets(partition));
    assertThat(comparison.answered()).as("byte %s of %s", position, log).isGreaterThan(50);
    assertThat(comparison.refused()).isGreaterThan(50);
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "7, 1", "7, 64", "1, 128", "3, 1"})
  void flippedBaseOffset_thatNoChecksumCovers_isDamageOfItsBatchAlone(int at, int mask)
      throws IOException {
    Path archive = Fixtures.unpack("ordered-plain", directory.resolve("archive"));
    Partition partition = Fixtures.load("ordered-plain").partition(ORDERS.toString());
    Path log = archive.resolve(ORDERS.toString()).resolve("%020d.log".formatted(73));
    int last = 0;
    byte[] bytes = Files.readAllBytes(log);
    for (int next = 0; next < bytes.length; next += sizeAt(bytes, next)) {
      last = next;
    }
    for (int batch : List.of(0, sizeAt(bytes, 0), last)) {
      byte[] changed = bytes.clone();
      changed[batch + at] ^= (byte) mask;
      Files.write(log, changed);
      long base = ByteBuffer.wrap(bytes).getLong(batch);
      OffsetRange range =
          new OffsetRange(base, base + ByteBuffer.wrap(bytes).getInt(batch + 23) + 1);
      List<OffsetRange> lost = mask == 0 ? List.of() : List.of(range);
      List<OracleRecord> left =
          Fixtures.records("ordered-plain", partition.dir()).stream()
              .filter(r -> mask == 0 || !range.intersects(r.offset(), r.offset() + 1))
              .toList();

      LogSnapshot snapshot = Archives.load(archive).snapshot(ORDERS);

      new DamageComparison(snapshot, left, lost).compareAll(List.of(0L, 1_700_000_000_000L));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void cleanLogThatWasCut_isDamageUpToTheRecoveryPoint(boolean betweenBatches) throws IOException {
    Path archive = Fixtures.unpack("ordered-plain", directory.resolve("archive"));
    Partition partition = Fixtures.load("ordered-plain").partition(ORDERS.toString());
    Path log = archive.resolve(ORDERS.toString()).resolve("%020d.log".formatted(556));
    byte[] bytes = Files.readAllBytes(log);
    int cut = sizeAt(bytes, 0);
    OffsetRange lost = new OffsetRange(ByteBuffer.wrap(bytes).getLong(cut), 598);
    truncate(log, betweenBatches ? cut : cut + 70);

    LogSnapshot snapshot = Archives.load(archive).snapshot(ORDERS);

    assertThat(snapshot.highWatermark()).isEqualTo(598);
    List<OracleRecord> left =
        Fixtures.records("ordered-plain", partition.dir()).stream()
            .filter(r -> r.offset() < lost.startOffset())
            .toList();
    new DamageComparison(snapshot, left, List.of(lost)).compareAll(targets(partition));
  }

  @ParameterizedTest
  @CsvSource({"0, 0, 73", "73, 0, 156", "73, 1, 156"})
  void closedSegmentCutBetweenBatches_isDamageUpToTheNext(long base, int batches, long next)
      throws IOException {
    Path archive = Fixtures.unpack("ordered-plain", directory.resolve("archive"));
    Partition partition = Fixtures.load("ordered-plain").partition(ORDERS.toString());
    Path log = archive.resolve(ORDERS.toString()).resolve("%020d.log".formatted(base));
    byte[] bytes = Files.readAllBytes(log);
    int cut = batches == 0 ? 0 : sizeAt(bytes, 0);
    OffsetRange lost = new OffsetRange(ByteBuffer.wrap(bytes).getLong(cut), next);
    truncate(log, cut);

    LogSnapshot snapshot = Archives.load(archive).snapshot(ORDERS);

    List<OracleRecord> left =
        Fixtures.records("ordered-plain", partition.dir()).stream()
            .filter(r -> !lost.intersects(r.offset(), r.offset() + 1))
            .toList();
    new DamageComparison(snapshot, left, List.of(lost)).compareAll(targets(partition));
  }

  @Test
  void lastSegmentUnderAnotherName_isDamageFromTheEndOfTheOneBefore() throws IOException {
    Path archive = Fixtures.unpack("ordered-plain", directory.resolve("archive"));
    List<OracleRecord> records = Fixtures.records("ordered-plain", ORDERS.toString());
    Path partition = archive.resolve(ORDERS.toString());
    Files.move(
        partition.resolve("%020d.log".formatted(556)),
        partition.resolve("%020d.log".formatted(1556)));

    LogSnapshot log = Archives.load(archive).snapshot(ORDERS);

    assertThat(failureAt(log, records.get(560)).reason()).isEqualTo(ErrorReason.DAMAGED_LOG);
    assertThat(offsetAt(log, records.get(500))).isLessThanOrEqualTo(500);
  }

  @Test
  void crashedBroker_damageBelowTheRecoveryPoint_endsNothing() throws IOException {
    Path archive = Fixtures.unpack("kill9-intact", directory.resolve("archive"));
    Partition partition = Fixtures.load("kill9-intact").partition("u-0");
    new OffsetCheckpoint(archive.resolve(OffsetCheckpoint.RECOVERY_POINT))
        .write(Map.of(KILLED, 500L));
    Path first = archive.resolve("u-0/00000000000000000000.log");
    OffsetRange lost = offsetsAt(first, 3000);
    flip(first, 3000);

    LogSnapshot log = Archives.load(archive).snapshot(KILLED);

    assertThat(log.highWatermark()).isEqualTo(625);
    List<OracleRecord> left =
        Fixtures.records("kill9-intact", "u-0").stream()
            .filter(r -> !lost.intersects(r.offset(), r.offset() + 1))
            .toList();
    new DamageComparison(log, left, List.of(lost)).compareAll(targets(partition));
  }

  @Test
  void crashedBroker_damageAboveTheRecoveryPoint_endsTheLog() throws IOException {
    Path archive = Fixtures.unpack("kill9-intact", directory.resolve("archive"));
    new OffsetCheckpoint(archive.resolve(OffsetCheckpoint.RECOVERY_POINT))
        .write(Map.of(KILLED, 300L));
    Path second = archive.resolve("u-0/00000000000000000237.log");
    OffsetRange lost = offsetsAt(second, 3000);
    flip(second, 3000);

    ArchiveSource source = Archives.load(archive);
    LogSnapshot log = source.snapshot(KILLED);

    assertThat(log.highWatermark()).isEqualTo(lost.startOffset());
    assertThat(log.damages())
        .extracting(Damage::range)
        .containsExactly(new OffsetRange(log.highWatermark(), log.highWatermark()));
    assertThat(source.warnings())
        .anyMatch(warning -> warning.contains("the log ends there"))
        .anyMatch(warning -> warning.contains("00000000000000000479.log: dropped"));
  }

  @Test
  void segmentGoneOrCutAfterOpening_failsOnlyReadsOfIt() throws IOException {
    Path archive = Fixtures.unpack("ordered-plain", directory.resolve("archive"));
    List<OracleRecord> records = Fixtures.records("ordered-plain", ORDERS.toString());
    LogSnapshot log = Archives.load(archive).snapshot(ORDERS);
    Path partition = archive.resolve(ORDERS.toString());

    Files.delete(partition.resolve("%020d.log".formatted(73)));
    truncate(partition.resolve("%020d.log".formatted(238)), 100);

    assertThat(failureAt(log, records.get(80)).reason()).isEqualTo(ErrorReason.STORAGE_ERROR);
    assertThat(failureAt(log, records.get(80)).metadata().get("path")).endsWith("073.log");
    assertThat(failureAt(log, records.get(300)).reason()).isEqualTo(ErrorReason.DAMAGED_LOG);
    for (int index : List.of(0, 72, 156, 237, 315, 597)) {
      assertThat(offsetAt(log, records.get(index))).isLessThanOrEqualTo(index);
    }
  }

  @Test
  void segmentsThatOverlap_failTheirPartitionAlone() throws IOException {
    Path archive = Fixtures.unpack("ordered-plain", directory.resolve("archive"));
    Path partition = archive.resolve(ORDERS.toString());
    Files.copy(
        partition.resolve("%020d.log".formatted(73)), partition.resolve("%020d.log".formatted(74)));

    ArchiveSource source = Archives.load(archive);

    WhenceException failure =
        catchThrowableOfType(WhenceException.class, () -> source.snapshot(ORDERS));
    assertThat(failure.reason()).isEqualTo(ErrorReason.DAMAGED_LOG);
    assertThat(failure.metadata()).containsKeys("path", "position", "expected", "found");
    assertThat(source.snapshot(new TopicPartition("orders", 0)).highWatermark()).isEqualTo(4062);
  }

  private static List<Long> targets(Partition partition) {
    return partition.queries().stream().map(Query::timestampMs).toList();
  }

  private static WhenceException failureAt(LogSnapshot log, OracleRecord record) {
    return catchThrowableOfType(
        WhenceException.class,
        () ->
            new LogResolver()
                .resolveOffset(
                    log, record.offset(), IsolationLevel.READ_UNCOMMITTED, Cancellation.NONE));
  }

  private static long offsetAt(LogSnapshot log, OracleRecord record) {
    return new LogResolver()
        .resolve(
            log,
            new AtOrAfter(record.timestampMs()),
            IsolationLevel.READ_UNCOMMITTED,
            Cancellation.NONE)
        .offset();
  }

  /** Returns a position that is not in a leader epoch: no checksum covers these. */
  private static int flippable(byte[] bytes, Random random) {
    while (true) {
      int position = random.nextInt(bytes.length);
      int inBatch = position - batchAt(bytes, position);
      if (inBatch < 12 || inBatch >= 16) {
        return position;
      }
    }
  }

  /** Returns the offsets of the batch that holds a byte. */
  private static OffsetRange offsetsAt(Path log, int position) throws IOException {
    byte[] bytes = Files.readAllBytes(log);
    int batch = batchAt(bytes, position);
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    long baseOffset = buffer.getLong(batch);
    return new OffsetRange(baseOffset, baseOffset + buffer.getInt(batch + 23) + 1);
  }

  private static int batchAt(byte[] bytes, int position) {
    int batch = 0;
    while (batch + sizeAt(bytes, batch) <= position) {
      batch += sizeAt(bytes, batch);
    }
    return batch;
  }

  private static int sizeAt(byte[] bytes, int batch) {
    return ByteBuffer.wrap(bytes).getInt(batch + 8) + 12;
  }

  private static void flip(Path file, int position) throws IOException {
    try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
      bytes.seek(position);
      int old = bytes.read();
      bytes.seek(position);
      bytes.write(old ^ 0x20);
    }
  }

  private static void truncate(Path file, long size) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(size);
    }
  }
}
