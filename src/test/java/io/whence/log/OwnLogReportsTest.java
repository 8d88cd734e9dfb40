package io.whence.log;

import static io.whence.model.Cancellation.NONE;
import static io.whence.model.IsolationLevel.READ_UNCOMMITTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.model.ErrorReason;
import io.whence.model.OffsetRange;
import io.whence.model.Outcome;
import io.whence.model.Position;
import io.whence.model.Position.AtOrAfter;
import io.whence.model.Position.Earliest;
import io.whence.model.Position.Latest;
import io.whence.model.Resolution;
import io.whence.model.WhenceException;
import io.whence.resolve.LogResolver;
import io.whence.testkit.Directories;
import io.whence.testkit.ManualClock;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What other projects' users reported about logs that a server writes, as rules of ours. */
class OwnLogReportsTest {
  private static final long NOW = 1_700_000_000_000L;
  private static final long HOUR = 3_600_000;

  private final ManualClock clock = new ManualClock(NOW);

  @TempDir Path directory;

  // Report 10.
  @Test
  void latest_recordsNotOnDisk_areNotCounted() {
    try (OpenLog log = open()) {
      for (int i = 0; i < 10; i++) {
        log.append(NOW);
      }
      log.pauseDisk();
      CompletableFuture<OffsetRange> waiting = log.append(NOW + 1, NOW + 2, NOW + 3);

      assertThat(resolve(log, new Latest()).offset()).isEqualTo(10);
      assertThat(resolve(log, new AtOrAfter(NOW + 1)).outcome()).isEqualTo(Outcome.AFTER_END);
      assertThat(waiting).isNotDone();

      log.resumeDisk();
      assertThat(resolve(log, new Latest()).offset()).isEqualTo(13);
      assertThat(resolve(log, new AtOrAfter(NOW + 1)).offset()).isEqualTo(10);
      assertThat(waiting).isCompletedWithValue(new OffsetRange(10, 13));
    }
  }

  // Report 11.
  @Test
  void everythingExpired_earliestAndLatest_areTheSame() {
    try (OpenLog log = open("retention.ms", HOUR)) {
      for (int i = 0; i < 10; i++) {
        log.append(NOW);
      }

      log.retainAfter(HOUR + 1);

      assertThat(resolve(log, new Earliest()).offset()).isEqualTo(10);
      assertThat(resolve(log, new Latest()).offset()).isEqualTo(10);
      Resolution answer = resolve(log, new AtOrAfter(0));
      assertThat(answer.outcome()).isEqualTo(Outcome.EMPTY);
      assertThat(answer.bounds().endOffset()).isEqualTo(10);
      assertThat(answer.startCut()).isTrue();
    }
  }

  // Report 64.
  @Test
  void nothingFound_recordArrivesAfterwards_isNotSkippedByTheEndOfTheAnswer() {
    try (OpenLog log = open()) {
      for (int i = 0; i < 10; i++) {
        log.append(NOW);
      }
      Resolution answer = resolve(log, new AtOrAfter(NOW + 1));
      log.append(NOW + 1);

      assertThat(answer.outcome()).isEqualTo(Outcome.AFTER_END);
      assertThat(answer.bounds().endOffset()).isEqualTo(10);
      assertThat(resolve(log, new AtOrAfter(NOW + 1)).offset()).isEqualTo(10);
    }
  }

  // Report 119.
  @ParameterizedTest
  @ValueSource(ints = {1, 1000})
  void timeIndex_paddedWithZeros_isRebuiltAndDeletesNothing(int entries) throws IOException {
    try (OpenLog log = open("retention.ms", HOUR)) {
      log.append(NOW);
      log.append(NOW + 5);
    }
    Path timeIndex = SegmentNames.path(directory, 0, SegmentNames.TIME_INDEX);
    byte[] whole = Files.readAllBytes(timeIndex);
    Files.write(timeIndex, new byte[12 * entries], StandardOpenOption.APPEND);

    try (OpenLog log = open("retention.ms", HOUR)) {
      log.retainAfter(HOUR);

      assertThat(log.baseOffsets()).containsExactly(0L, 1L);
      assertThat(resolve(log, new AtOrAfter(NOW + 1)).offset()).isEqualTo(1);
      assertThat(Files.readAllBytes(timeIndex)).isEqualTo(whole);
      assertThat(log.heard()).singleElement().asString().contains(".timeindex");
    }
  }

  // Report 127.
  @Test
  void open_oneIndexDamaged_readsThatSegmentAlone() throws IOException {
    try (OpenLog log = open()) {
      for (int i = 0; i < 20; i++) {
        log.append(NOW + i);
      }
    }
    flip(SegmentNames.path(directory, 0, BlockIndexFile.SUFFIX), 60);
    flip(SegmentNames.path(directory, 7, SegmentNames.LOG), 200);

    try (OpenLog log = open()) {
      // Nobody noticed: the segment was not read.
      assertThat(log.log().snapshot().damages()).isEmpty();
      assertThat(resolve(log, new AtOrAfter(NOW)).offset()).isZero();
      // Who does read it is told, and never gets a wrong record (report 121).
      assertThatThrownBy(() -> TestLogs.offsets(log.log().snapshot()))
          .isInstanceOfSatisfying(
              WhenceException.class,
              failure -> assertThat(failure.reason()).isEqualTo(ErrorReason.DAMAGED_LOG));
    }
  }

  // Report 128.
  @Test
  void open_afterACrash_readsOnlyBehindTheCheckpoint(@TempDir Path elsewhere) throws IOException {
    Path copy = elsewhere.resolve(directory.getFileName()); // Indexes know their partition by that.
    try (OpenLog log = open("segment.bytes", 1 << 20)) {
      for (int i = 0; i < 100; i++) {
        log.append(NOW + i);
      }
      Directories.copy(directory, copy); // Nothing is closed: as a crash leaves it.
    }
    flip(SegmentNames.path(copy, 0, SegmentNames.LOG), 200);

    try (OpenLog log = new OpenLog(copy, clock)) {
      assertThat(log.log().snapshot().damages()).isEmpty();
      assertThat(resolve(log, new Latest()).offset()).isEqualTo(100);
      assertThat(resolve(log, new AtOrAfter(NOW + 99)).offset()).isEqualTo(99);
    }
  }

  @Test
  void damage_foundWhenOpened_isFoundEveryTime() throws IOException {
    try (OpenLog log = open("segment.bytes", 1 << 20)) {
      for (int i = 0; i < 3; i++) {
        log.append(NOW + i);
      }
    }
    flip(SegmentNames.path(directory, 0, SegmentNames.LOG), 200);
    Files.delete(SegmentNames.path(directory, 0, BlockIndexFile.SUFFIX));

    for (int time = 0; time < 3; time++) {
      try (OpenLog log = open("segment.bytes", 1 << 20)) {
        assertThat(log.log().snapshot().damages()).as("time %d", time).hasSize(1);
        assertThatThrownBy(() -> resolve(log, new AtOrAfter(NOW)))
            .isInstanceOf(WhenceException.class);
        log.append(NOW + 10 + time);
      }
    }
  }

  // Report 133.
  @Test
  void logAppendTime_producersClockInTheFuture_countsNowhere() {
    long in2099 = 4_070_908_800_000L;
    try (OpenLog log = open("message.timestamp.type", "LogAppendTime")) {
      log.append(in2099, in2099 + 1);

      Resolution answer = resolve(log, new AtOrAfter(NOW - 1000));
      assertThat(answer.offset()).isZero();
      assertThat(Objects.requireNonNull(answer.record()).timestampMs()).isEqualTo(NOW);
      assertThat(resolve(log, new AtOrAfter(NOW + 1)).outcome()).isEqualTo(Outcome.AFTER_END);
      TimestampHealth times = log.log().snapshot().segments().get(0).timestamps();
      assertThat(times.minTimestampMs()).hasValue(NOW);
      assertThat(times.maxTimestampMs()).hasValue(NOW);
    }
  }

  // Report 134.
  @Test
  void append_nanosecondsForMilliseconds_isRefusedByRecord() {
    try (OpenLog log = open()) {
      CompletableFuture<OffsetRange> append = log.append(NOW, 1_700_000_000_000_000_000L);

      assertThat(append).isCompletedExceptionally();
      assertThatThrownBy(append::join)
          .isInstanceOf(CompletionException.class)
          .cause()
          .isInstanceOfSatisfying(
              WhenceException.class,
              failure -> {
                assertThat(failure.reason()).isEqualTo(ErrorReason.INVALID_TIMESTAMP);
                assertThat(failure.metadata()).containsEntry("record_index", "1");
              });
      assertThat(resolve(log, new Latest()).offset()).isZero();
    }
    try (OpenLog log = open("message.timestamp.after.max.ms", Long.MAX_VALUE)) {
      log.append(NOW, 1_700_000_000_000_000_000L);
      assertThat(resolve(log, new AtOrAfter(NOW + 1)).offset()).isEqualTo(1);
    }
  }

  @Test
  void append_batchThatJustFits_beginsASegment() {
    try (OpenLog log = open()) {
      assertThat(log.append(NOW, NOW, NOW)).isCompletedWithValue(new OffsetRange(0, 3));
      assertThat(log.append(NOW)).isCompletedWithValue(new OffsetRange(3, 4));

      assertThat(log.baseOffsets()).containsExactly(0L, 3L);
    }
    try (OpenLog log = open()) {
      assertThat(TestLogs.offsets(log.log().snapshot())).isEqualTo(List.of(0L, 1L, 2L, 3L));
    }
  }

  @Test
  void roll_byTime_goesByTheTimestampsAndNotByTheClock() {
    try (OpenLog log = open("segment.bytes", 1 << 20, "segment.ms", HOUR)) {
      log.append(NOW);
      clock.advance(10 * HOUR);
      log.append(NOW + HOUR);
      log.append(NOW - 5 * HOUR);
      assertThat(log.baseOffsets()).containsExactly(0L);

      log.append(NOW + HOUR + 1);
      assertThat(log.baseOffsets()).containsExactly(0L, 3L);
    }
  }

  @Test
  void roll_bySize_fillsASegmentToTheLastByte() {
    long size;
    try (OpenLog log = open()) {
      log.append(NOW);
      size = log.log().snapshot().sizeBytes();
    }
    try (OpenLog log = open(directory.resolve("full"), "segment.bytes", 10 * size)) {
      for (int i = 0; i < 11; i++) {
        log.append(NOW);
      }
      assertThat(log.baseOffsets()).containsExactly(0L, 10L);
    }
    try (OpenLog log = open(directory.resolve("short"), "segment.bytes", 10 * size - 1)) {
      for (int i = 0; i < 11; i++) {
        log.append(NOW);
      }
      assertThat(log.baseOffsets()).containsExactly(0L, 9L);
    }
  }

  private OpenLog open(Object... settings) {
    return settings.length > 0 && settings[0] instanceof Path other
        ? new OpenLog(created(other), clock, Arrays.copyOfRange(settings, 1, settings.length))
        : new OpenLog(directory, clock, withSmallSegments(settings));
  }

  private static Object[] withSmallSegments(Object[] settings) {
    Object[] all = Arrays.copyOf(new Object[] {"segment.bytes", 1024}, settings.length + 2);
    System.arraycopy(settings, 0, all, 2, settings.length);
    return all;
  }

  private static Path created(Path other) {
    try {
      return Files.createDirectories(other);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Resolution resolve(OpenLog log, Position position) {
    return new LogResolver().resolve(log.log().snapshot(), position, READ_UNCOMMITTED, NONE);
  }

  private static void flip(Path file, long position) throws IOException {
    try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
      bytes.seek(position);
      int old = bytes.read();
      bytes.seek(position);
      bytes.write(old ^ 0x55);
    }
  }
}
