package io.whence.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.model.OffsetRange;
import io.whence.testkit.ManualClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which segments go, and when. Each append here begins a segment, unless a test says otherwise. */
class RetentionTest {
  private static final long NOW = 1_700_000_000_000L;
  private static final long HOUR = 3_600_000;
  private static final String ANY_TIME = "9223372036854775807";

  private final ManualClock clock = new ManualClock(NOW);
  private OpenLog log;

  @TempDir Path directory;

  @BeforeEach
  void openLog() {
    log = open("retention.ms", HOUR);
  }

  @AfterEach
  void closeLog() {
    log.close();
  }

  // Report 136.
  @Test
  void retain_newestRecordDecides_keepsUntilItIsTooOld() {
    log.append(NOW - 2 * HOUR, NOW - HOUR / 2);
    log.append(NOW);

    log.retainAfter(HOUR / 2);
    assertThat(log.baseOffsets()).containsExactly(0L, 2L);

    log.retainAfter(1);
    assertThat(log.baseOffsets()).containsExactly(2L);
    assertThat(log.log().snapshot().logStartOffset()).isEqualTo(2);
    assertThat(log.heard()).containsExactly("trimmed 2 retention");
  }

  @Test
  void retain_everythingTooOld_leavesOneEmptySegmentAtTheEnd() {
    log.append(NOW, NOW);
    log.append(NOW);

    log.retainAfter(HOUR + 1);

    assertThat(log.baseOffsets()).containsExactly(3L);
    assertThat(log.log().snapshot().logStartOffset()).isEqualTo(3);
    assertThat(log.log().snapshot().highWatermark()).isEqualTo(3);
    assertThat(log.log().snapshot().sizeBytes()).isZero();
  }

  @Test
  void retain_youngRecordWaitsForTheDisk_keepsTheSegmentThatItIsIn() {
    reopen("retention.ms", HOUR, "segment.bytes", 1 << 20);
    log.append(NOW);
    log.pauseDisk();
    CompletableFuture<OffsetRange> young = log.append(NOW + HOUR);

    log.retainAfter(HOUR + 1);
    log.resumeDisk();

    assertThat(young).isCompletedWithValue(new OffsetRange(1, 2));
    assertThat(log.baseOffsets()).containsExactly(0L);
    assertThat(log.log().snapshot().logStartOffset()).isZero();
  }

  @Test
  void retain_emptyLastSegment_staysWhateverTheClockSays() {
    log.append(NOW);
    log.retainAfter(HOUR + 1);

    log.retainAfter(1000 * HOUR);

    assertThat(log.baseOffsets()).containsExactly(1L);
    assertThat(log.heard()).containsExactly("trimmed 1 retention");
  }

  @Test
  void retain_goneRecords_comeNotBackWhenTheLogIsOpenedAgain() {
    log.append(NOW);
    log.append(NOW + 5);
    log.retainAfter(HOUR + 1);
    log.close();

    log = open("retention.ms", HOUR);

    assertThat(log.baseOffsets()).containsExactly(1L);
    assertThat(log.log().snapshot().logStartOffset()).isEqualTo(1);
    assertThat(log.append(NOW)).isCompletedWithValueMatching(range -> range.startOffset() == 2);
  }

  @Test
  void retain_youngSegmentFirst_keepsTheOldOnesBehindIt() {
    log.append(NOW + HOUR);
    log.append(NOW);
    log.append(NOW + HOUR);

    log.retainAfter(HOUR + 1);

    assertThat(log.baseOffsets()).containsExactly(0L, 1L, 2L);
  }

  @Test
  void retain_withoutLimit_keepsEverything() {
    reopen("retention.ms", -1);
    log.append(0);

    log.retainAfter(1_000_000 * HOUR);

    assertThat(log.baseOffsets()).containsExactly(0L);
  }

  @Test
  void retain_oldFiles_keepsYoungRecords() throws IOException {
    log.append(NOW);
    log.append(NOW);
    for (long base : log.baseOffsets()) {
      Files.setLastModifiedTime(
          SegmentNames.path(directory, base, SegmentNames.LOG), FileTime.fromMillis(0));
    }

    log.retainAfter(HOUR);

    assertThat(log.baseOffsets()).containsExactly(0L, 1L);
  }

  @Test
  void retain_futureRecord_blocksAndIsReported() {
    reopen("retention.ms", HOUR, "message.timestamp.after.max.ms", ANY_TIME);
    log.append(NOW, NOW + 1_000_000 * HOUR);
    log.append(NOW);

    log.retainAfter(2 * HOUR);

    assertThat(log.baseOffsets()).containsExactly(0L, 2L);
    assertThat(log.heard()).containsExactly("retentionBlocked 0 " + (NOW + 1_000_000 * HOUR));
  }

  @Test
  void retain_futureRecordIgnored_goesByTheOthers() {
    reopen(
        "retention.ms",
        HOUR,
        "message.timestamp.after.max.ms",
        ANY_TIME,
        "retention.future.timestamps",
        "ignore");
    log.append(NOW, NOW + 1_000_000 * HOUR);
    log.append(Long.MAX_VALUE);

    log.retainAfter(HOUR);
    assertThat(log.baseOffsets()).containsExactly(0L, 2L);

    log.retainAfter(1);
    assertThat(log.baseOffsets()).containsExactly(2L);
    assertThat(log.heard()).containsExactly("trimmed 2 retention");
  }

  @Test
  void retain_tooManyBytes_keepsAtLeastTheLimit() {
    log.append(NOW);
    long size = log.log().snapshot().sizeBytes();
    reopen("retention.bytes", 2 * size, "retention.ms", -1);
    for (int i = 0; i < 3; i++) {
      log.append(NOW);
    }

    log.retainAfter(0);
    assertThat(log.baseOffsets()).containsExactly(2L, 3L);

    log.append(NOW, NOW);
    log.retainAfter(0);
    assertThat(log.baseOffsets()).containsExactly(3L, 4L);
    assertThat(log.log().snapshot().sizeBytes()).isGreaterThanOrEqualTo(2 * size);
  }

  @Test
  void retain_noBytesAllowed_leavesOneEmptySegment() {
    reopen("retention.bytes", 0, "retention.ms", -1);
    log.append(NOW);
    log.append(NOW);

    log.retainAfter(0);
    log.retainAfter(0);

    assertThat(log.baseOffsets()).containsExactly(2L);
    assertThat(log.log().snapshot().sizeBytes()).isZero();
  }

  @Test
  void retain_readersOfAnOlderSnapshot_finish() {
    log.append(NOW);
    log.append(NOW);
    LogSnapshot before = log.log().snapshot();

    log.retainAfter(HOUR + 1);

    assertThat(before.logStartOffset()).isZero();
    assertThat(TestLogs.offsets(before)).isEqualTo(List.of(0L, 1L));
    assertThat(TestLogs.offsets(log.log().snapshot())).isEmpty();
  }

  private void reopen(Object... settings) {
    log.close();
    log = open(settings);
  }

  private OpenLog open(Object... settings) {
    return new OpenLog(
        directory,
        clock,
        Stream.concat(Stream.of("segment.bytes", 1024), Stream.of(settings)).toArray());
  }
}
