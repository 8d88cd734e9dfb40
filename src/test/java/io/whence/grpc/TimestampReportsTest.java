package io.whence.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.grpc.TimestampReports.RetentionRule;
import io.whence.log.SegmentInfo;
import io.whence.log.TimestampHealth;
import java.util.List;
import org.junit.jupiter.api.Test;

/** From which segment on age deletes nothing. */
class TimestampReportsTest {
  private static final long NOW_MS = 1_000;
  private static final RetentionRule USUAL = new RetentionRule(true, true);

  private static final SegmentInfo OLD = segment(0, new TimestampHealth(5, 1, 10, 20, 0));
  private static final SegmentInfo FUTURE = segment(5, new TimestampHealth(5, 0, 15, 1_001, 0));
  private static final SegmentInfo UNTIMED =
      segment(10, new TimestampHealth(5, 5, Long.MAX_VALUE, Long.MIN_VALUE, 0));
  private static final SegmentInfo EMPTY = segment(15, TimestampHealth.NONE);

  @Test
  void oldSegments_areNotHeld() {
    assertThat(USUAL.heldFrom(List.of(OLD, EMPTY), NOW_MS)).isEmpty();
    assertThat(USUAL.heldFrom(List.of(FUTURE), 1_001)).isEmpty();
  }

  @Test
  void firstSegmentFromTheFutureOrWithoutTimes_holdsAllBehind() {
    assertThat(USUAL.heldFrom(List.of(OLD, FUTURE, UNTIMED), NOW_MS)).hasValue(5);
    assertThat(USUAL.heldFrom(List.of(OLD, UNTIMED, FUTURE), NOW_MS)).hasValue(10);
  }

  @Test
  void settingsThatIgnoreTheFutureOrKeepForEver_holdLess() {
    assertThat(new RetentionRule(true, false).heldFrom(List.of(OLD, FUTURE, UNTIMED), NOW_MS))
        .hasValue(10);
    assertThat(new RetentionRule(false, true).heldFrom(List.of(OLD, FUTURE, UNTIMED), NOW_MS))
        .isEmpty();
  }

  private static SegmentInfo segment(long baseOffset, TimestampHealth timestamps) {
    return new SegmentInfo(baseOffset, baseOffset + 5, 100, timestamps, false, true, 10);
  }
}
