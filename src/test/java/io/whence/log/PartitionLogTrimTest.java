package io.whence.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import io.whence.testkit.Directories;
import io.whence.testkit.OracleRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PartitionLogTrimTest {
  private static final long HOUR_MS = 3_600_000;
  private static final long NOW_MS = 1_700_000_000_000L;

  @TempDir private Path directory;

  @Test
  void trim_insideBatch_hidesWhatIsBelow() {
    try (OwnedLog owned = OwnedLog.open(directory)) {
      owned.append(900, 100, 500);
      owned.append(200, 700);

      assertThat(owned.trim(2)).isEqualTo(2);
      owned.assertExact();
      assertThat(owned.trim(1)).isEqualTo(2);
      owned.load().assertExact();
      owned.reopen().assertExact();
      assertThat(owned.snapshot().logStartOffset()).isEqualTo(2);
    }
  }

  @Test
  void trim_storesBeforeAnythingChanges_soThatAKillInBetweenKeepsIt() throws IOException {
    try (OwnedLog owned = OwnedLog.open(directory, "segment.bytes", 1024)) {
      for (int i = 0; i < 30; i++) {
        owned.append(i);
      }
      Path copy = directory.resolveSibling(directory.getFileName() + "-copy");
      owned
          .log()
          .trim(
              20,
              (partition, offset) -> {
                owned.storedStart = offset;
                assertThat(owned.snapshot().logStartOffset()).isZero();
                Directories.copy(directory, copy);
              });
      try (OwnedLog killed = OwnedLog.open(copy, "segment.bytes", 1024)) {
        killed.storedStart = 20;
        killed.records.addAll(owned.records);
        killed.load().assertExact();
        assertThat(killed.snapshot().logStartOffset()).isEqualTo(20);
        // Retention must not put the start back to a segment that the trim had yet to delete.
        killed.retain();
        assertThat(killed.snapshot().logStartOffset()).isGreaterThanOrEqualTo(20);
        assertThat(killed.baseOffsets()).isEqualTo(owned.baseOffsets());
      } finally {
        Directories.delete(copy);
      }
    }
  }

  @Test
  void trim_storeFails_changesNothing() {
    try (OwnedLog owned = OwnedLog.open(directory)) {
      owned.append(1, 2, 3);
      assertThatThrownBy(
              () ->
                  owned
                      .log()
                      .trim(
                          2,
                          (partition, offset) -> {
                            throw new IOException("disk");
                          }))
          .isInstanceOf(IOException.class);
      assertThat(owned.snapshot().logStartOffset()).isZero();
      owned.assertExact();
    }
  }

  @Test
  void trim_aboveHighWatermark_isRefused() {
    try (OwnedLog owned = OwnedLog.open(directory)) {
      owned.append(1, 2);
      owned.holdFlushes();
      var waiting = owned.start(3);
      assertThatThrownBy(() -> owned.trim(3))
          .isInstanceOfSatisfying(
              WhenceException.class,
              e -> {
                assertThat(e.reason()).isEqualTo(ErrorReason.OFFSET_OUT_OF_RANGE);
                assertThat(e.metadata()).containsEntry("end_offset", "2");
              });
      owned.releaseFlushes();
      assertThat(waiting).isCompleted();
      assertThat(owned.trim(3)).isEqualTo(3);
      owned.expect(waiting.join(), 3);
      owned.assertExact();
      owned.reopen().assertExact();
      assertThat(owned.append(4).startOffset()).isEqualTo(3);
    }
  }

  @Test
  void trim_wholeSegments_deletesTheirFilesLaterAndOldSnapshotsGoOn() throws IOException {
    try (OwnedLog owned = OwnedLog.open(directory, "segment.bytes", 1024)) {
      for (int i = 0; i < 30; i++) {
        owned.append(100 - i);
      }
      LogSnapshot before = owned.snapshot();
      List<OracleRecord> records = List.copyOf(owned.records);
      owned.trim(25);
      assertThat(owned.baseOffsets().get(0)).isPositive();
      OwnedLog.assertExact(before, records);
      for (LogEnvironment.Deletion deletion : owned.deletions) {
        deletion.run();
      }
      owned.assertExact();
      try (var files = Files.list(directory)) {
        assertThat(files.map(file -> file.getFileName().toString()).toList())
            .noneMatch(name -> name.endsWith(".deleted") || name.startsWith("0".repeat(20)));
      }
      // A reader that was too slow is told, and makes no file.
      assertThatThrownBy(() -> OwnedLog.assertExact(before, records))
          .isInstanceOfSatisfying(
              WhenceException.class,
              e -> assertThat(e.reason()).isEqualTo(ErrorReason.STORAGE_ERROR));
      assertThat(owned.file(0, ".log.deleted")).doesNotExist();
    }
  }

  @Test
  void load_deletedSegmentsLeft_areRemoved() throws IOException {
    try (OwnedLog owned = OwnedLog.open(directory, "segment.bytes", 1024)) {
      for (int i = 0; i < 30; i++) {
        owned.append(i);
      }
      owned.trim(25);
      assertThat(owned.file(0, ".log.deleted")).exists();
      owned.load().assertExact();
      assertThat(owned.file(0, ".log.deleted")).doesNotExist();
    }
  }

  @Test
  void load_logEndsBelowItsStart_goesOnAtTheStart() {
    try (OwnedLog owned = OwnedLog.open(directory)) {
      owned.append(1, 2, 3);
      owned.storedStart = 10;
      owned.load();

      assertThat(owned.snapshot().logStartOffset()).isEqualTo(10);
      assertThat(owned.snapshot().highWatermark()).isEqualTo(10);
      assertThat(owned.append(4).startOffset()).isEqualTo(10);
      owned.reopen();
      owned.records.removeIf(record -> record.offset() < 10);
      owned.assertExact();
      assertThat(owned.snapshot().damages()).isEmpty();
    }
  }

  @Test
  void retention_byTime_waitsForTheLargestTimestampOfTheSegment() throws IOException {
    try (OwnedLog owned = OwnedLog.open(directory, "retention.ms", HOUR_MS, "segment.ms", 1)) {
      owned.setClock(NOW_MS);
      owned.append(NOW_MS - 2 * HOUR_MS, NOW_MS - HOUR_MS / 2);
      owned.append(NOW_MS);
      assertThat(owned.baseOffsets()).containsExactly(0L, 2L);
      // The time of a file says nothing.
      Files.setLastModifiedTime(
          owned.file(0, ".log"), java.nio.file.attribute.FileTime.fromMillis(0));
      owned.retain();
      owned.setClock(NOW_MS + HOUR_MS / 2);
      owned.retain();
      assertThat(owned.snapshot().logStartOffset()).isZero();

      owned.setClock(NOW_MS + HOUR_MS / 2 + 1);
      owned.retain();
      assertThat(owned.snapshot().logStartOffset()).isEqualTo(2);
      assertThat(owned.storedStart).isEqualTo(2);
      assertThat(owned.events).contains("trimmed 2 retention");
      owned.assertExact();
      owned.load().assertExact();
    }
  }

  @Test
  void retention_everythingTooOld_leavesAnEmptySegment() {
    try (OwnedLog owned = OwnedLog.open(directory, "retention.ms", HOUR_MS)) {
      owned.append(1, 2, 3);
      owned.setClock(10 * HOUR_MS);
      owned.retain();

      assertThat(owned.baseOffsets()).containsExactly(3L);
      owned.assertExact();
      owned.load().assertExact();
      owned.retain();
      assertThat(owned.append(5).startOffset()).isEqualTo(3);
      owned.reopen().assertExact();
    }
  }

  @Test
  void retention_futureTimestamp_blocksOrIsIgnored() {
    long now = NOW_MS;
    for (String rule : List.of("block", "ignore")) {
      try (OwnedLog owned =
          OwnedLog.open(
              directory.resolve(rule),
              "retention.ms",
              HOUR_MS,
              "retention.future.timestamps",
              rule,
              "segment.ms",
              HOUR_MS)) {
        owned.setClock(now);
        owned.append(now - 3 * HOUR_MS, now + 100 * HOUR_MS, now - 2 * HOUR_MS);
        owned.append(now + 300 * HOUR_MS);
        assertThat(owned.baseOffsets()).hasSize(2);
        owned.retain();
        assertThat(owned.snapshot().logStartOffset()).isEqualTo(rule.equals("block") ? 0 : 3);
        assertThat(owned.events.contains("blocked 0 " + (now + 100 * HOUR_MS)))
            .isEqualTo(rule.equals("block"));
        owned.reopen().assertExact();
      }
    }
  }

  @Test
  void retention_bySize_deletesOldestWhileTheRestIsEnough() {
    List<Long> starts = new ArrayList<>();
    try (OwnedLog owned =
        OwnedLog.open(
            directory, "segment.bytes", 1024, "retention.bytes", 2048, "retention.ms", -1)) {
      for (int i = 0; i < 60; i++) {
        owned.append(i);
      }
      long total = owned.snapshot().sizeBytes();
      long first = owned.snapshot().segments().get(0).sizeBytes();
      owned.retain();
      long left = owned.snapshot().sizeBytes();

      assertThat(left).isBetween(2048L, 2048 + first - 1).isLessThan(total);
      owned.assertExact();
      starts.add(owned.snapshot().logStartOffset());
      owned.retain();
      starts.add(owned.snapshot().logStartOffset());
      owned.load().assertExact();
      starts.add(owned.snapshot().logStartOffset());
    }
    assertThat(starts.stream().distinct()).hasSize(1);
  }

  @Test
  void retention_withoutLimits_keepsAll() {
    try (OwnedLog owned =
        OwnedLog.open(directory, "retention.ms", -1, "retention.bytes", -1, "segment.ms", 1)) {
      owned.append(1);
      owned.append(100);
      owned.setClock(Long.MAX_VALUE / 2);
      owned.retain();
      owned.assertExact();
      assertThat(owned.snapshot().logStartOffset()).isZero();
    }
  }
}
