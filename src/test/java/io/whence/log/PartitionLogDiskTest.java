package io.whence.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.model.ErrorReason;
import io.whence.model.OffsetRange;
import io.whence.model.WhenceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PartitionLogDiskTest {
  @TempDir private Path directory;

  @Test
  void write_failsHalfWay_isStorageFullAndItsPlaceIsUsedAgain() throws IOException {
    try (OwnedLog owned = OwnedLog.open(directory)) {
      owned.append(1, 2);
      long size = owned.snapshot().sizeBytes();
      owned.disk.failWrite(FaultyDisk.FULL);

      WhenceException failure = owned.failingAppend(3, 4, 5);

      assertThat(failure.reason()).isEqualTo(ErrorReason.STORAGE_FULL);
      assertThat(failure.getMessage()).contains(owned.file(0, ".log").toString());
      assertThat(owned.snapshot().highWatermark()).isEqualTo(2);
      owned.assertExact();
      assertThat(owned.append(6).startOffset()).isEqualTo(2);
      assertThat(Files.size(owned.file(0, ".log"))).isEqualTo(owned.snapshot().sizeBytes());
      assertThat(owned.snapshot().sizeBytes()).isGreaterThan(size);
      owned.load().assertExact();
    }
  }

  @Test
  void write_failsAndCrash_leavesNothingOfIt() {
    try (OwnedLog owned = OwnedLog.open(directory)) {
      owned.append(1, 2);
      owned.disk.failWrite("Input/output error");
      assertThat(owned.failingAppend(3).reason()).isEqualTo(ErrorReason.STORAGE_ERROR);

      owned.load().assertExact();
      assertThat(owned.warnings).hasSize(1);
      owned.append(9);
      owned.reopen().assertExact();
    }
  }

  @Test
  void write_failsAndClose_leavesAWholeLogForKafka() throws IOException {
    OwnedLog owned = OwnedLog.open(directory);
    owned.append(1, 2);
    long size = owned.snapshot().sizeBytes();
    owned.disk.failWrite(FaultyDisk.FULL);
    owned.failingAppend(3);
    owned.close();

    assertThat(Files.size(owned.file(0, ".log"))).isEqualTo(size);
  }

  @Test
  void force_failsOnce_failsAllThatWaitAndNothingElse() throws IOException {
    try (OwnedLog owned = OwnedLog.open(directory)) {
      owned.append(1, 2);
      owned.holdFlushes();
      List<CompletableFuture<OffsetRange>> waiting =
          List.of(owned.start(10), owned.start(11, 12), owned.start(13));
      owned.disk.failForce("Input/output error");
      owned.releaseFlushes();

      for (CompletableFuture<OffsetRange> append : waiting) {
        assertThat(OwnedLog.failureOf(append).reason()).isEqualTo(ErrorReason.STORAGE_ERROR);
      }
      owned.assertExact();
      // Cut off at once: a crash from here on does not bring back what was said to have failed.
      assertThat(Files.size(owned.file(0, ".log"))).isEqualTo(owned.snapshot().sizeBytes());
      assertThat(owned.append(20).startOffset()).isEqualTo(2);
      owned.assertExact();
      owned.load().assertExact();
    }
  }

  @Test
  void force_failsAndCutFailsToo_isRepairedBeforeTheNextAppend() {
    try (OwnedLog owned = OwnedLog.open(directory)) {
      owned.append(1, 2);
      owned.disk.failForce("Input/output error");
      owned.disk.failTruncate("Input/output error");
      owned.failingAppend(3);
      owned.disk.failTruncate("Input/output error");
      owned.failingAppend(4);
      owned.assertExact();

      assertThat(owned.append(5).startOffset()).isEqualTo(2);
      owned.assertExact();
      owned.load().assertExact();
    }
  }

  @Test
  void force_failsAndCutFailsAndClose_isRepairedOrNotClean() throws IOException {
    OwnedLog owned = OwnedLog.open(directory);
    owned.append(1, 2);
    long size = owned.snapshot().sizeBytes();
    owned.disk.failForce("Input/output error");
    owned.disk.failTruncate("Input/output error");
    owned.failingAppend(3);
    owned.close();

    assertThat(Files.size(owned.file(0, ".log"))).isEqualTo(size);
    owned.load().assertExact();
    owned.close();
  }

  @Test
  void snapshot_ofBatchesThatShareABlockWithFailedOnes_keepsAnswering() {
    try (OwnedLog owned = OwnedLog.open(directory)) {
      owned.append(100, 300);
      LogSnapshot before = owned.snapshot();
      owned.disk.failForce("Input/output error");
      owned.failingAppend(200, 250, 260, 270);

      OwnedLog.assertExact(before, owned.records);
      owned.append(150);
      OwnedLog.assertExact(before, owned.records.subList(0, 2));
      owned.assertExact();
    }
  }

  @Test
  void roll_forceFails_failsWaitingAndRollsLater() {
    try (OwnedLog owned = OwnedLog.open(directory, "segment.bytes", 1024)) {
      while (owned.snapshot().sizeBytes() < 800) {
        owned.append(owned.records.size());
      }
      owned.holdFlushes();
      owned.disk.failForce("Input/output error");
      CompletableFuture<OffsetRange> waiting = owned.start(500);
      CompletableFuture<OffsetRange> rolling = owned.start(new long[20]);

      assertThat(OwnedLog.failureOf(waiting).reason()).isEqualTo(ErrorReason.STORAGE_ERROR);
      assertThat(OwnedLog.failureOf(rolling).reason()).isEqualTo(ErrorReason.STORAGE_ERROR);
      owned.releaseFlushes();
      owned.assertExact();
      owned.append(600, 601, 602, 603, 604, 605);
      assertThat(owned.baseOffsets()).hasSize(2);
      owned.assertExact();
      owned.load().assertExact();
    }
  }

  @Test
  void roll_newSegmentFails_leavesNothingThatOverlaps() {
    try (OwnedLog owned = OwnedLog.open(directory, "segment.bytes", 1024)) {
      while (owned.snapshot().sizeBytes() < 800) {
        owned.append(owned.records.size());
      }
      failSecondForce(owned);
      WhenceException failure = owned.failingAppend(new long[20]);
      assertThat(failure.reason()).isEqualTo(ErrorReason.STORAGE_FULL);
      owned.append(700); // Fits into the old segment, beyond where the new one would have begun.
      owned.assertExact();
      owned.load().assertExact();
      owned.append(new long[20]);
      owned.assertExact();
      owned.load().assertExact();
    }
  }

  private static void failSecondForce(OwnedLog owned) {
    owned.disk.passForce();
    owned.disk.failForce(FaultyDisk.FULL);
  }

  @Test
  void roll_whileFlushIsUnderWay_answersWhatTheRollPutOnDisk() {
    try (OwnedLog owned = OwnedLog.open(directory, "segment.bytes", 1024)) {
      while (owned.snapshot().sizeBytes() < 800) {
        owned.append(owned.records.size());
      }
      owned.holdFlushes();
      CompletableFuture<OffsetRange> first = owned.start(500);
      CompletableFuture<OffsetRange> second = owned.start(new long[20]);
      long offset = owned.records.size();
      owned.expect(new OffsetRange(offset, offset + 1), 500);
      assertThat(owned.snapshot().highWatermark()).isEqualTo(owned.records.size());
      owned.disk.failForce("Input/output error");
      owned.releaseFlushes();

      assertThat(first).isCompleted();
      assertThat(OwnedLog.failureOf(second).reason()).isEqualTo(ErrorReason.STORAGE_ERROR);
      owned.assertExact();
      owned.append(1);
      owned.load().assertExact();
    }
  }

  @Test
  void disk_failsAtRandom_losesNothingAcknowledgedAndKeepsNothingFailed() {
    long seed = Long.getLong("whence.seed", System.nanoTime());
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    OwnedLog owned = OwnedLog.open(directory, "segment.bytes", 2048, "index.interval.bytes", 200);
    owned.checkpointBytes = 700;
    owned.load();
    for (int round = 0; round < 120; round++) {
      switch (random.nextInt(9)) {
        case 0 -> owned.disk.failWrite(FaultyDisk.FULL);
        case 1 -> owned.disk.failForce("Input/output error");
        case 2 -> owned.disk.failTruncate("Input/output error");
        case 3 -> owned.reopenMended();
        default -> appendSome(owned, random);
      }
      if (round % 10 == 0) {
        owned.assertExact();
      }
    }
    owned.reopenMended();
    owned.assertExact();
    owned.close();
  }

  private static void appendSome(OwnedLog owned, Random random) {
    owned.holdFlushes();
    List<CompletableFuture<OffsetRange>> waiting = new ArrayList<>();
    List<long[]> batches = new ArrayList<>();
    for (int i = 0; i <= random.nextInt(4); i++) {
      long[] batch = random.longs(1 + random.nextInt(5), 0, 1000).toArray();
      batches.add(batch);
      waiting.add(owned.start(batch));
    }
    owned.releaseFlushes();
    for (int i = 0; i < waiting.size(); i++) {
      assertThat(waiting.get(i)).isDone();
      if (!waiting.get(i).isCompletedExceptionally()) {
        owned.expect(waiting.get(i).join(), batches.get(i));
      }
    }
  }
}
