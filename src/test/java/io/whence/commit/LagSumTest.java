package io.whence.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.model.LogBounds;
import io.whence.model.RecordStamp;
import io.whence.model.TimestampType;
import io.whence.model.UnreadRecords;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LagSumTest {
  private static final long NOW_MS = 1_000;

  private final LagSum sum = new LagSum();

  // Report 106.
  @Test
  void partitionsWithoutOffset_sum_isOfTheOthers() {
    sum.add(behind(LagStatus.BEHIND, 90, new LogBounds(0, 100), 900, 950));
    sum.add(PartitionLag.none(LagStatus.NO_OFFSET, Optional.empty()));
    sum.add(behind(LagStatus.BEHIND, 70, new LogBounds(0, 100), 400, 990));
    sum.add(PartitionLag.none(LagStatus.NO_OFFSET, Optional.empty()));

    assertThat(sum.partitionCount()).isEqualTo(4);
    assertThat(sum.offsetLag()).isEqualTo(40);
    assertThat(sum.recordLag()).isEqualTo(10);
    assertThat(sum.maxStalenessMs()).hasValue(600);
    assertThat(sum.maxSpanMs()).hasValue(590);
    assertThat(sum.partitionsWithoutOffset()).isEqualTo(2);
  }

  @Test
  void noPartitions_sum_isZeroAndHasNoTimes() {
    assertThat(sum.partitionCount()).isZero();
    assertThat(sum.offsetLag()).isZero();
    assertThat(sum.maxStalenessMs()).isEmpty();
    assertThat(sum.maxSpanMs()).isEmpty();
  }

  @Test
  void everyStatus_countsOnceWhereItBelongs() {
    Optional<CommittedOffset> committed = Optional.of(Commits.offset(3));
    sum.add(PartitionLag.none(LagStatus.STALE_TOPIC, committed));
    sum.add(PartitionLag.none(LagStatus.UNKNOWN_TOPIC, committed));
    sum.add(PartitionLag.none(LagStatus.UNKNOWN_PARTITION, committed));
    sum.add(PartitionLag.none(LagStatus.UNKNOWN_TOPIC, Optional.empty()));
    sum.add(PartitionLag.none(LagStatus.FAILED, committed));
    sum.add(behind(LagStatus.BELOW_START, 3, new LogBounds(5, 9), 10, 20));
    sum.add(caughtUp(LagStatus.AHEAD_OF_END, 12, new LogBounds(0, 9)));

    assertThat(sum.partitionCount()).isEqualTo(7);
    assertThat(sum.partitionsStale()).isEqualTo(3);
    assertThat(sum.partitionsWithoutOffset()).isEqualTo(1);
    assertThat(sum.partitionsFailed()).isEqualTo(1);
    assertThat(sum.partitionsBelowStart()).isEqualTo(1);
    assertThat(sum.partitionsAheadOfEnd()).isEqualTo(1);
    assertThat(sum.offsetLag()).isEqualTo(4);
  }

  @Test
  void hugeLags_sum_stopsAtTheLargestLong() {
    LogBounds huge = new LogBounds(0, Long.MAX_VALUE);
    sum.add(caughtUp(LagStatus.CAUGHT_UP, 1, huge));
    sum.add(caughtUp(LagStatus.CAUGHT_UP, 0, huge));
    sum.add(caughtUp(LagStatus.CAUGHT_UP, 0, huge));

    assertThat(sum.offsetLag()).isEqualTo(Long.MAX_VALUE);
  }

  private static PartitionLag behind(
      LagStatus status, long committed, LogBounds bounds, long nextMs, long maxMs) {
    RecordStamp next = new RecordStamp(committed, nextMs, TimestampType.CREATE_TIME, -1);
    return new PartitionLag(status, committed, bounds, new UnreadRecords(5, next, maxMs), NOW_MS);
  }

  private static PartitionLag caughtUp(LagStatus status, long committed, LogBounds bounds) {
    return new PartitionLag(status, committed, bounds, UnreadRecords.NONE, NOW_MS);
  }
}
