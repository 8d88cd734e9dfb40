package io.whence.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.model.ErrorReason;
import io.whence.model.OffsetRange;
import io.whence.model.TimestampType;
import io.whence.model.WhenceException;
import io.whence.record.CompressionCodec;
import io.whence.testkit.OracleRecord;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PartitionLogTest {
  @TempDir private Path directory;

  @ParameterizedTest
  @EnumSource(CompressionCodec.class)
  void append_eachCodec_isReadBackAlsoAfterReopenAndCrash(CompressionCodec codec) {
    try (OwnedLog owned = OwnedLog.open(directory, "index.interval.bytes", 100)) {
      owned.codec = codec;
      owned.append(500);
      owned.append(100, 900, 200);
      owned.append(900, 300);
      owned.assertExact();
      owned.reopen().assertExact();
      owned.append(50, 1000);
      owned.load().assertExact();
      assertThat(owned.append(7).startOffset()).isEqualTo(8);
      owned.reopen().assertExact();
      assertThat(owned.warnings).isEmpty();
    }
  }

  @Test
  void log_empty_answersAndReopens() {
    try (OwnedLog owned = OwnedLog.open(directory)) {
      owned.assertExact();
      owned.reopen().assertExact();
      assertThat(owned.snapshot().highWatermark()).isZero();
      assertThat(owned.append(1)).isEqualTo(new OffsetRange(0, 1));
    }
  }

  @Test
  void append_whileFlushIsBlocked_isNotVisibleAndLatestStays() {
    try (OwnedLog owned = OwnedLog.open(directory)) {
      owned.append(LongStream.range(0, 10).toArray());
      owned.holdFlushes();
      CompletableFuture<OffsetRange> waiting = owned.start(10, 11, 12);

      assertThat(waiting).isNotDone();
      assertThat(owned.snapshot().highWatermark()).isEqualTo(10);
      owned.assertExact();

      owned.releaseFlushes();
      assertThat(waiting).isCompletedWithValue(new OffsetRange(10, 13));
      assertThat(owned.snapshot().highWatermark()).isEqualTo(13);
    }
  }

  @Test
  void append_manyWhileFlushIsBlocked_shareOneFlush() {
    try (OwnedLog owned = OwnedLog.open(directory)) {
      owned.holdFlushes();
      List<CompletableFuture<OffsetRange>> waiting = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        waiting.add(owned.start(i, i));
      }
      assertThat(waiting).noneMatch(CompletableFuture::isDone);
      owned.releaseFlushes();

      for (int i = 0; i < 50; i++) {
        assertThat(waiting.get(i)).isCompletedWithValue(new OffsetRange(2 * i, 2 * i + 2));
      }
      assertThat(owned.flushedBatches).containsExactly(50);
    }
  }

  @Test
  void append_fromManyThreads_givesDenseOffsetsAndKeepsAll() throws Exception {
    int threads = 4;
    int appends = 100;
    List<CompletableFuture<OffsetRange>> done = new ArrayList<>();
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try (OwnedLog owned = OwnedLog.open(directory, "segment.bytes", 4096)) {
      List<CompletableFuture<List<CompletableFuture<OffsetRange>>>> workers = new ArrayList<>();
      for (int t = 0; t < threads; t++) {
        workers.add(
            CompletableFuture.supplyAsync(
                () -> {
                  List<CompletableFuture<OffsetRange>> mine = new ArrayList<>();
                  for (int i = 0; i < appends; i++) {
                    mine.add(owned.start(7, 8));
                  }
                  return mine;
                },
                pool));
      }
      for (var worker : workers) {
        done.addAll(worker.get(60, TimeUnit.SECONDS));
      }
      List<Long> starts = done.stream().map(f -> f.join().startOffset()).sorted().toList();
      assertThat(starts)
          .isEqualTo(LongStream.range(0, threads * appends).map(i -> 2 * i).boxed().toList());
      for (long start : starts) {
        owned.expect(new OffsetRange(start, start + 2), 7, 8);
      }
      owned.assertExact();
      owned.load().assertExact();
    } finally {
      pool.shutdownNow();
    }
  }

  @Test
  void snapshot_beforeAppendsRollsAndTrims_keepsAnswering() throws Exception {
    try (OwnedLog owned = OwnedLog.open(directory, "segment.bytes", 1024)) {
      for (int i = 0; i < 20; i++) {
        owned.append(1000 - i, i);
      }
      LogSnapshot before = owned.snapshot();
      List<OracleRecord> recordsBefore = List.copyOf(owned.records);
      for (int i = 0; i < 40; i++) {
        owned.append(5000 + i);
      }
      owned.trim(45);

      OwnedLog.assertExact(before, recordsBefore);
      owned.assertExact();
      assertThat(owned.deletions).isNotEmpty();
    }
  }

  @Test
  void append_toSegmentOfTenBatches_rollsAtTheEleventh() {
    int batch;
    try (OwnedLog owned = OwnedLog.open(directory.resolve("a"))) {
      owned.append(1);
      batch = (int) owned.snapshot().sizeBytes();
    }
    // Kafka's case 43: ten batches do not fit in ten times the size less one.
    try (OwnedLog owned = OwnedLog.open(directory.resolve("b"), "segment.bytes", 20 * (batch - 1));
        OwnedLog exact = OwnedLog.open(directory.resolve("c"), "segment.bytes", 20 * batch)) {
      for (int i = 0; i < 20; i++) {
        owned.append(1);
        exact.append(1);
      }
      assertThat(owned.baseOffsets()).containsExactly(0L, 19L);
      assertThat(exact.baseOffsets()).containsExactly(0L);
      exact.append(1);
      assertThat(exact.baseOffsets()).containsExactly(0L, 20L);
      owned.reopen().assertExact();
      exact.reopen().assertExact();
    }
  }

  @Test
  void append_largerThanSegment_isRefusedAndNothingIsWritten() {
    try (OwnedLog owned = OwnedLog.open(directory, "segment.bytes", 1024)) {
      WhenceException failure = owned.failingAppend(new long[100]);

      assertThat(failure.reason()).isEqualTo(ErrorReason.RECORD_TOO_LARGE);
      assertThat(failure.getMessage()).contains("segment.bytes");
      owned.append(5);
      assertThat(owned.baseOffsets()).containsExactly(0L);
      owned.reopen().assertExact();
    }
  }

  @Test
  void append_overMaxMessageBytes_isRefused() {
    try (OwnedLog owned = OwnedLog.open(directory, "max.message.bytes", 200)) {
      owned.append(1);
      WhenceException failure = owned.failingAppend(1, 2, 3, 4, 5, 6, 7);

      assertThat(failure.reason()).isEqualTo(ErrorReason.RECORD_TOO_LARGE);
      assertThat(failure.metadata()).containsEntry("limit_bytes", "200");
      assertThat(owned.append(2).startOffset()).isEqualTo(1);
      owned.assertExact();
    }
  }

  @Test
  void append_timestampBeyondSegmentMs_rollsByRecordsNotByClock() {
    try (OwnedLog owned = OwnedLog.open(directory, "segment.ms", 1000)) {
      owned.append(10_000);
      owned.setClock(900_000_000);
      owned.append(11_000);
      owned.append(100); // A negative distance does not roll.
      assertThat(owned.baseOffsets()).containsExactly(0L);
      owned.append(11_001);
      assertThat(owned.baseOffsets()).containsExactly(0L, 3L);
      owned.reopen().assertExact();
    }
  }

  @Test
  void append_emptySegmentOfAnyAge_doesNotRoll() {
    try (OwnedLog owned = OwnedLog.open(directory, "segment.ms", 1)) {
      owned.setClock(Long.MAX_VALUE / 2);
      owned.append(5);
      assertThat(owned.baseOffsets()).containsExactly(0L);
    }
  }

  @Test
  void append_offsetIndexFull_rolls() {
    // Room for 4 offset entries and for 3 time entries, one of which is for the closing one.
    try (OwnedLog growing =
            OwnedLog.open(
                directory.resolve("a"), "index.interval.bytes", 0, "segment.index.bytes", 36);
        OwnedLog level =
            OwnedLog.open(
                directory.resolve("b"), "index.interval.bytes", 0, "segment.index.bytes", 36)) {
      for (int i = 0; i < 10; i++) {
        growing.append(100 + i);
        level.append(100);
      }
      assertThat(growing.baseOffsets()).containsExactly(0L, 3L, 6L, 9L);
      assertThat(level.baseOffsets()).containsExactly(0L, 5L);
      growing.reopen().assertExact();
      level.reopen().assertExact();
    }
  }

  @Test
  void indexes_ofClosedSegments_areThoseOfKafka() throws Exception {
    try (OwnedLog owned = OwnedLog.open(directory, "index.interval.bytes", 0)) {
      owned.append(1, 0);
      owned.append(2);
    }
    // Kafka's case 20 at an interval of 0: entry (2, 2) for the second batch, and the maximum.
    byte[] times =
        java.nio.file.Files.readAllBytes(directory.resolve("0".repeat(20) + ".timeindex"));
    assertThat(times).containsExactly(0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 2);
    assertThat(java.nio.file.Files.size(directory.resolve("0".repeat(20) + ".index"))).isEqualTo(8);
  }

  @Test
  void logAppendTime_clientTimes_areReplacedByTheClock() {
    try (OwnedLog owned = OwnedLog.open(directory, "message.timestamp.type", "LogAppendTime")) {
      owned.setClock(5000);
      OffsetRange range = owned.start(4_070_908_800_000L, -1, 3).join();
      for (long offset = range.startOffset(); offset < range.endOffset(); offset++) {
        owned.records.add(
            new OracleRecord(
                offset, 5000, TimestampType.LOG_APPEND_TIME, 0, OracleRecord.Kind.DATA));
      }
      owned.assertExact();
      owned.reopen().assertExact();
    }
  }

  @Test
  void append_withoutTimestamp_getsThatOfTheClock() {
    try (OwnedLog owned = OwnedLog.open(directory)) {
      owned.setClock(777);
      OffsetRange range = owned.start(-1).join();
      owned.expect(range, 777);
      owned.reopen().assertExact();
    }
  }

  @Test
  void append_timestampOutsideLimits_isRefusedWithTheRecordIndex() {
    try (OwnedLog owned =
        OwnedLog.open(
            directory,
            "message.timestamp.before.max.ms",
            100,
            "message.timestamp.after.max.ms",
            3_600_000)) {
      owned.setClock(1_700_000_000_000L);
      long now = 1_700_000_000_000L;
      owned.append(now - 100, now + 3_600_000);
      WhenceException nanos = owned.failingAppend(now, now, 1_700_000_000_000_000_000L);
      WhenceException old = owned.failingAppend(now - 101);
      WhenceException largest = owned.failingAppend(now, Long.MAX_VALUE);

      assertThat(nanos.reason()).isEqualTo(ErrorReason.INVALID_TIMESTAMP);
      assertThat(nanos.metadata()).containsEntry("record_index", "2");
      assertThat(old.metadata()).containsEntry("record_index", "0");
      assertThat(largest.metadata()).containsEntry("record_index", "1");
      assertThat(owned.snapshot().highWatermark()).isEqualTo(2);
    }
  }

  @Test
  void append_flusherIsShutDown_isStillAnswered() {
    try (OwnedLog owned = OwnedLog.open(directory)) {
      owned.rejecting = true;
      assertThat(owned.start(1, 2)).isCompletedWithValue(new OffsetRange(0, 2));
    }
  }

  @Test
  void append_afterClose_isRefusedAndLogStaysWhole() {
    OwnedLog owned = OwnedLog.open(directory);
    owned.append(1);
    owned.close();
    owned.close();

    assertThat(owned.failingAppend(2).reason()).isEqualTo(ErrorReason.DRAINING);
    owned.load().assertExact();
    owned.close();
  }

  @Test
  void close_whileAppendsWait_answersThemFirst() throws Exception {
    OwnedLog owned = OwnedLog.open(directory);
    owned.holdFlushes();
    CompletableFuture<OffsetRange> waiting = owned.start(1, 2);
    CompletableFuture<Void> closing = CompletableFuture.runAsync(owned::close);
    owned.releaseFlushes();
    closing.get(60, TimeUnit.SECONDS);

    assertThat(waiting).isCompletedWithValue(new OffsetRange(0, 2));
    owned.expect(new OffsetRange(0, 2), 1, 2);
    owned.load().assertExact();
    owned.close();
  }
}
