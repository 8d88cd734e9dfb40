package io.whence.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.IsolationLevel;
import io.whence.model.Outcome;
import io.whence.model.Position;
import io.whence.model.WhenceException;
import io.whence.resolve.LogResolver;
import io.whence.testkit.OracleRecord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PartitionLogRecoveryTest {
  @TempDir private Path directory;

  @Test
  void tail_cutAtEveryByteOfTheLastBatch_isCutToTheBatchBefore() throws IOException {
    try (OwnedLog owned = OwnedLog.open(directory)) {
      owned.append(10, 30, 20);
      long whole = owned.snapshot().sizeBytes();
      List<OracleRecord> before = List.copyOf(owned.records);
      owned.append(5, 40);
      Path log = owned.file(0, ".log");
      byte[] all = Files.readAllBytes(log);
      for (int size = (int) whole; size < all.length; size++) {
        Files.write(log, Arrays.copyOf(all, size));
        owned.warnings.clear();
        owned.load();

        OwnedLog.assertExact(owned.snapshot(), before);
        assertThat(Files.size(log)).isEqualTo(whole);
        assertThat(owned.snapshot().damages()).isEmpty();
        assertThat(owned.warnings).hasSize(size == whole ? 0 : 1);
      }
      assertThat(owned.start(7).join().startOffset()).isEqualTo(3);
    }
  }

  @ParameterizedTest
  @CsvSource({"zeros, 1", "zeros, 5000", "garbage, 1", "garbage, 61", "garbage, 5000"})
  void tail_rubbishAppended_isCutOff(String kind, int count) throws IOException {
    try (OwnedLog owned = OwnedLog.open(directory)) {
      owned.append(10, 30, 20);
      byte[] rubbish = new byte[count];
      if (kind.equals("garbage")) {
        new Random(7).nextBytes(rubbish);
      }
      Files.write(owned.file(0, ".log"), rubbish, StandardOpenOption.APPEND);
      owned.load().assertExact();

      assertThat(owned.warnings).singleElement().asString().contains("cut off", ".log");
      owned.append(1);
      owned.reopen().assertExact();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {".index", ".timeindex", ".blockindex"})
  void index_damagedInAnyWay_isRebuiltWithAWarning(String suffix) throws IOException {
    try (OwnedLog owned =
        OwnedLog.open(directory, "segment.bytes", 1024, "index.interval.bytes", 100)) {
      Random random = new Random(3);
      for (int i = 0; i < 30; i++) {
        owned.append(random.nextInt(500), random.nextInt(500));
      }
      owned.close();
      Path index = owned.file(0, suffix);
      byte[] right = Files.readAllBytes(index);
      byte[] longer = Files.readAllBytes(owned.file(owned.baseOffsets().get(1), suffix));
      byte[] flipped = right.clone();
      flipped[right.length / 2] ^= 0x10;
      for (byte[] wrong :
          List.of(
              new byte[0],
              flipped,
              Arrays.copyOf(right, right.length + 12),
              Arrays.copyOf(right, right.length + 12_000),
              Arrays.copyOf(right, right.length / 2),
              Arrays.copyOf(right, right.length - 1),
              longer)) {
        Files.write(index, wrong);
        owned.warnings.clear();
        owned.load().assertExact();

        assertThat(owned.warnings).singleElement().asString().contains(index.toString());
        assertThat(Files.readAllBytes(index)).isEqualTo(right);
        owned.close();
      }
      Files.delete(index);
      owned.warnings.clear();
      owned.load().assertExact();
      assertThat(owned.warnings).isEmpty();
      assertThat(Files.readAllBytes(index)).isEqualTo(right);
    }
  }

  @Test
  void blockIndex_ofAnotherLog_isNotTrusted() throws IOException {
    Path other = directory.resolve("other");
    try (OwnedLog owned = OwnedLog.open(directory.resolve("t"))) {
      try (OwnedLog longer = OwnedLog.open(other)) {
        longer.append(5, 6);
        longer.append(7, 8, 9);
      }
      owned.append(100, 200);
      owned.append(300);
      owned.close();
      Files.copy(
          other.resolve(owned.file(0, ".blockindex").getFileName()),
          owned.file(0, ".blockindex"),
          StandardCopyOption.REPLACE_EXISTING);
      owned.load().assertExact();
    }
  }

  @Test
  void indexes_ofNoLog_areDeleted() throws IOException {
    try (OwnedLog owned = OwnedLog.open(directory)) {
      owned.append(1);
      owned.close();
      Files.write(owned.file(500, ".timeindex"), new byte[12]);
      Files.write(owned.file(500, ".index"), new byte[8]);
      Files.write(owned.file(500, ".blockindex"), new byte[8]);
      owned.load().assertExact();
      assertThat(owned.file(500, ".timeindex")).doesNotExist();
      assertThat(owned.file(500, ".index")).doesNotExist();
      assertThat(owned.file(500, ".blockindex")).doesNotExist();
    }
  }

  @Test
  void epochs_damaged_areRebuilt() throws IOException {
    try (OwnedLog owned = OwnedLog.open(directory)) {
      owned.append(1);
      Files.writeString(directory.resolve("leader-epoch-checkpoint"), "nonsense\n");
      owned.load().assertExact();
      assertThat(owned.warnings).singleElement().asString().contains("leader-epoch-checkpoint");
      assertThat(Files.readString(directory.resolve("leader-epoch-checkpoint")))
          .isEqualTo("0\n1\n0 0\n");
    }
  }

  @Test
  void damage_inClosedSegment_isReportedAndKeptAndHidesOnlyWhatCouldLieThere() throws IOException {
    try (OwnedLog owned = OwnedLog.open(directory, "segment.bytes", 1024)) {
      for (int i = 0; i < 40; i++) {
        owned.append(1000 + i, 1000 + i);
      }
      Path log = owned.file(0, ".log");
      int batch = (int) (owned.snapshot().segments().get(0).sizeBytes() / 2);
      long position = damage(owned, log, batch);
      byte[] damaged = Files.readAllBytes(log);
      deleteBlockIndex(owned, 0);
      owned.load();

      assertDamage(owned, log, position);
      Damage damage = owned.snapshot().damages().get(0);
      assertHiddenOnlyWhereNeeded(owned, damage);
      assertThat(Files.readAllBytes(log)).isEqualTo(damaged);

      owned.append(5000);
      owned.reopen();
      assertDamage(owned, log, position);
      assertHiddenOnlyWhereNeeded(owned, damage);
      assertThat(Files.readAllBytes(log)).isEqualTo(damaged);
    }
  }

  @Test
  void damage_inActiveSegmentBelowRecoveryPoint_isKeptAndAppendsGoOnBehind() throws IOException {
    try (OwnedLog owned = OwnedLog.open(directory)) {
      for (int i = 0; i < 20; i++) {
        owned.append(1000 + i, 1000 + i);
      }
      owned.recoveryPoint = 40;
      Path log = owned.file(0, ".log");
      long position = damage(owned, log, (int) (owned.snapshot().sizeBytes() / 2));
      owned.load();

      assertDamage(owned, log, position);
      Damage damage = owned.snapshot().damages().get(0);
      assertThat(owned.append(3000).startOffset()).isEqualTo(40);
      assertHiddenOnlyWhereNeeded(owned, damage);
      // The index must not forget it when it goes to disk.
      owned.reopen();
      assertDamage(owned, log, position);
      assertHiddenOnlyWhereNeeded(owned, damage);
    }
  }

  @Test
  void damage_fromTheMiddleToTheEndBelowRecoveryPoint_goesOnInANewSegment() throws IOException {
    try (OwnedLog owned = OwnedLog.open(directory)) {
      for (int i = 0; i < 20; i++) {
        owned.append(1000 + i, 1000 + i);
      }
      owned.recoveryPoint = 40;
      Path log = owned.file(0, ".log");
      byte[] bytes = Files.readAllBytes(log);
      int half = bytes.length / 20 * 10;
      Arrays.fill(bytes, half, bytes.length, (byte) 0);
      Files.write(log, bytes);
      owned.load();

      assertThat(owned.snapshot().damages())
          .singleElement()
          .satisfies(
              d -> {
                assertThat(d.range().startOffset()).isEqualTo(20);
                assertThat(d.range().endOffset()).isEqualTo(40);
                assertThat(d.position()).isEqualTo(half);
              });
      assertThat(owned.append(9000).startOffset()).isEqualTo(40);
      owned.reopen();
      assertThat(Files.readAllBytes(log)).isEqualTo(bytes);
      assertThat(owned.snapshot().damages()).hasSize(1);
      assertHiddenOnlyWhereNeeded(owned, owned.snapshot().damages().get(0));
    }
  }

  @Test
  void damage_segmentShortenedAtABatchBoundary_isReported() throws IOException {
    try (OwnedLog owned = OwnedLog.open(directory, "segment.bytes", 1024)) {
      for (int i = 0; i < 20; i++) {
        owned.append(1000 + i);
      }
      long second = owned.baseOffsets().get(1);
      Path log = owned.file(0, ".log");
      byte[] bytes = Files.readAllBytes(log);
      Files.write(log, Arrays.copyOf(bytes, (int) (bytes.length / second * (second - 2))));
      owned.load();

      assertThat(owned.snapshot().damages())
          .singleElement()
          .satisfies(
              d -> {
                assertThat(d.range().startOffset()).isEqualTo(second - 2);
                assertThat(d.range().endOffset()).isEqualTo(second);
                assertThat(d.found()).contains("end of the file");
              });
      owned.recoveryPoint = owned.snapshot().highWatermark();
      Files.write(owned.file(owned.baseOffsets().get(1), ".log"), new byte[0]);
      owned.load();
      assertThat(owned.snapshot().damages()).hasSize(2);
      assertThat(owned.append(1).startOffset()).isEqualTo(owned.recoveryPoint);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void emptyLastSegment_thatOverlaps_isDeletedAndAppendsGoOn(boolean crashed) throws IOException {
    try (OwnedLog owned = OwnedLog.open(directory, "segment.bytes", 2048)) {
      for (int i = 0; i < 6; i++) {
        owned.append(1000 + i, 900 + i);
      }
      assertThat(owned.baseOffsets()).hasSize(1);
      if (!crashed) {
        owned.close();
        owned.recoveryPoint = 12;
      }
      Files.createFile(owned.file(6, ".log"));
      owned.load();

      assertThat(owned.file(6, ".log")).doesNotExist();
      assertThat(owned.warnings).singleElement().asString().contains("it is empty");
      while (owned.baseOffsets().size() < 3) {
        owned.append(2000);
      }
      owned.assertExact();
      owned.reopen().assertExact();
    }
  }

  @Test
  void load_afterCrashOf64MiB_readsOnlyBehindTheCheckpoint() throws IOException {
    try (OwnedLog owned = OwnedLog.open(directory, "max.message.bytes", 2 << 20)) {
      byte[] payload = new byte[1 << 20];
      for (int i = 0; i < 64; i++) {
        owned.appendValue(payload, 1000 + i);
      }
      owned.disk.resetReadBytes();
      owned.load();
      assertThat(owned.disk.readBytes()).isLessThan(18L << 20);
      owned.disk.resetReadBytes();
      owned.reopen();
      assertThat(owned.disk.readBytes()).isLessThan(1024);
      assertThat(owned.snapshot().highWatermark()).isEqualTo(64);
    }
  }

  @Test
  void load_oneOf20IndexesDamaged_readsOnlyItsSegment() throws IOException {
    try (OwnedLog owned = OwnedLog.open(directory, "segment.bytes", 10_000)) {
      while (owned.baseOffsets().size() < 20) {
        owned.append(LongStream.range(0, 30).toArray());
      }
      owned.close();
      for (String suffix : List.of(".index", ".timeindex", ".blockindex")) {
        Files.write(owned.file(0, suffix), new byte[] {1, 2, 3});
      }
      owned.disk.resetReadBytes();
      owned.load();

      long first = owned.snapshot().segments().get(0).sizeBytes();
      assertThat(owned.disk.readBytes()).isBetween(first, first + 20 * 61);
      owned.assertExact();
    }
  }

  private static long damage(OwnedLog owned, Path log, int around) throws IOException {
    byte[] bytes = Files.readAllBytes(log);
    int position = 0;
    int next = 0;
    while (next <= around) {
      position = next;
      next = position + 12 + ByteBuffer.wrap(bytes).getInt(position + 8);
    }
    bytes[position + 70] ^= 0x40;
    Files.write(log, bytes);
    return position;
  }

  private static void deleteBlockIndex(OwnedLog owned, long baseOffset) throws IOException {
    Files.delete(owned.file(baseOffset, ".blockindex"));
  }

  private static void assertDamage(OwnedLog owned, Path log, long position) {
    assertThat(owned.snapshot().damages())
        .singleElement()
        .satisfies(
            d -> {
              assertThat(d.path()).isEqualTo(log.toString());
              assertThat(d.position()).isEqualTo(position);
              assertThat(d.expected()).contains("CRC-32C");
              assertThat(d.found()).contains("CRC-32C");
              assertThat(d.range().endOffset() - d.range().startOffset()).isEqualTo(2);
            });
    assertThat(owned.warnings).anyMatch(warning -> warning.contains(log + " at byte " + position));
  }

  /** The records ascend in time, so an answer before the damage can't lie in it. */
  private static void assertHiddenOnlyWhereNeeded(OwnedLog owned, Damage damage) {
    LogResolver resolver = new LogResolver();
    for (OracleRecord record : owned.records) {
      Position position = new Position.AtOrAfter(record.timestampMs());
      boolean before = record.offset() < damage.range().startOffset();
      if (before) {
        assertThat(
                resolver.resolve(
                    owned.snapshot(), position, IsolationLevel.READ_UNCOMMITTED, Cancellation.NONE))
            .satisfies(answer -> assertThat(answer.outcome()).isEqualTo(Outcome.FOUND))
            .satisfies(
                answer ->
                    assertThat(answer.record().timestampMs()).isEqualTo(record.timestampMs()));
      } else {
        assertThatThrownBy(
                () ->
                    resolver.resolve(
                        owned.snapshot(),
                        position,
                        IsolationLevel.READ_UNCOMMITTED,
                        Cancellation.NONE))
            .isInstanceOfSatisfying(
                WhenceException.class,
                e -> assertThat(e.reason()).isEqualTo(ErrorReason.DAMAGED_LOG));
      }
      if (record.offset() >= damage.range().endOffset()) {
        Position backward = new Position.AtOrBefore(record.timestampMs());
        assertThat(
                resolver
                    .resolve(
                        owned.snapshot(),
                        backward,
                        IsolationLevel.READ_UNCOMMITTED,
                        Cancellation.NONE)
                    .record()
                    .timestampMs())
            .isEqualTo(record.timestampMs());
      }
    }
  }
}
