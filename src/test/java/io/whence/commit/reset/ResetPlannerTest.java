package io.whence.commit.reset;

import static io.whence.commit.reset.PlannerLogs.GROUP;
import static io.whence.commit.reset.PlannerLogs.NOW_MS;
import static io.whence.commit.reset.PlannerLogs.OLD_ID;
import static io.whence.commit.reset.PlannerLogs.partition;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.model.ErrorReason;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ResetPlannerTest {
  private static final ResetTarget LATEST = new ResetTarget.Latest();
  private static final TopicPartition P0 = partition(0);

  private final PlannerLogs logs = new PlannerLogs();

  @AfterEach
  void close() {
    logs.close();
  }

  /** The log holds offsets 10 to 19, one a second from 10,000 ms on. */
  private void tenRecords() {
    logs.log(
        0,
        10,
        "10:10000 11:11000 12:12000 13:13000 14:14000 | 15:15000 16:16000 17:17000"
            + " 18:18000 19:19000");
  }

  private PlannedReset plan(ResetTarget target) {
    return logs.plan(target, P0).get(0);
  }

  @Test
  void copyThatLacksRecords_isNotPlanned() {
    tenRecords();
    logs.source.behind(P0, WhenceException.of(ErrorReason.LEADER_UNAVAILABLE, "gone"));

    PlannedReset reset = plan(LATEST);

    assertThat(reset.outcome()).isEqualTo(PlanOutcome.FAILED);
    assertThat(Objects.requireNonNull(reset.error()).reason())
        .isEqualTo(ErrorReason.LEADER_UNAVAILABLE);
  }

  private static long offset(PlannedReset planned) {
    return Objects.requireNonNull(planned.planned()).offset();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0|FALLBACK|10|offset 0 lies below the log start; would go to the log start, 10",
        "9|FALLBACK|10|offset 9 lies below the log start; would go to the log start, 10",
        "10|MOVE|10|offset 10",
        "15|UNCHANGED|15|offset 15",
        "20|MOVE|20|offset 20",
        "21|FALLBACK|20|offset 21 lies above the end; would go to the end, 20",
      })
  void offset_isClampedOnlyAsFallback(
      long target, PlanOutcome outcome, long planned, String reason) {
    tenRecords();
    logs.offsets.put(GROUP, P0, 15);

    PlannedReset reset = plan(new ResetTarget.Offset(target));
    PlannedReset listed = plan(new ResetTarget.Offsets(Map.of(P0, target)));

    assertThat(reset.outcome()).isEqualTo(outcome);
    assertThat(offset(reset)).isEqualTo(planned);
    assertThat(reset.reason()).isEqualTo(reason);
    assertThat(listed).isEqualTo(reset);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "-6|FALLBACK|10|6 before the committed offset 15 lies below the log start; would go to the"
            + " log start, 10",
        "-5|MOVE|10|5 before the committed offset 15",
        "5|MOVE|20|5 after the committed offset 15",
        "6|FALLBACK|20|6 after the committed offset 15 lies above the end; would go to the end, 20",
        "9223372036854775807|FALLBACK|20|9223372036854775807 after the committed offset 15 lies"
            + " above the end; would go to the end, 20",
        "-9223372036854775808|FALLBACK|10|9223372036854775808 before the committed offset 15 lies"
            + " below the log start; would go to the log start, 10",
      })
  void shift_isClampedOnlyAsFallback(
      long distance, PlanOutcome outcome, long planned, String reason) {
    tenRecords();
    logs.offsets.put(GROUP, P0, 15);

    PlannedReset reset = plan(new ResetTarget.ShiftBy(distance));

    assertThat(reset.outcome()).isEqualTo(outcome);
    assertThat(offset(reset)).isEqualTo(planned);
    assertThat(reset.reason()).isEqualTo(reason);
  }

  @Test
  void shiftAndCurrent_withoutCommittedOffset_skip() {
    tenRecords();

    PlannedReset shift = plan(new ResetTarget.ShiftBy(1));
    PlannedReset current = plan(new ResetTarget.Current());

    assertThat(shift.outcome()).isEqualTo(PlanOutcome.SKIP);
    assertThat(shift.reason()).isEqualTo("nothing is committed that could be shifted");
    assertThat(current.outcome()).isEqualTo(PlanOutcome.SKIP);
    assertThat(current.reason()).isEqualTo("nothing is committed");
    assertThat(current.planned()).isNull();
    assertThat(current.bounds()).isNotNull();
  }

  @Test
  void current_outsideTheLog_isUnchangedWithWarning() {
    tenRecords();
    logs.offsets.put(GROUP, P0, 25);

    PlannedReset current = plan(new ResetTarget.Current());

    assertThat(current.outcome()).isEqualTo(PlanOutcome.UNCHANGED);
    assertThat(offset(current)).isEqualTo(25);
    assertThat(current.warnings())
        .containsExactly("the committed offset 25 lies above the end, 20");
  }

  @Test
  void time_afterTheLastRecord_isFallbackToEnd() {
    logs.log(0, 0, "0:10 | 811:20");
    logs.offsets.put(GROUP, P0, 700);
    long june = Instant.parse("2024-06-01T00:00:00Z").toEpochMilli();

    PlannedReset reset = plan(new ResetTarget.AtOrAfter(june));

    assertThat(reset.outcome()).isEqualTo(PlanOutcome.FALLBACK);
    assertThat(offset(reset)).isEqualTo(812);
    assertThat(reset.reason())
        .isEqualTo("nothing at or after 2024-06-01T00:00:00Z yet; would go to the end, 812");
  }

  @Test
  void fallbackToTheCommittedOffset_isUnchanged() {
    logs.log(0, 0, "0:10 | 811:20");
    logs.offsets.put(GROUP, P0, 812);

    PlannedReset reset = plan(new ResetTarget.AtOrAfter(1_000));

    assertThat(reset.outcome()).isEqualTo(PlanOutcome.UNCHANGED);
    assertThat(offset(reset)).isEqualTo(812);
    assertThat(reset.reason()).startsWith("nothing at or after");
  }

  @Test
  void timeOrMaximum_ofAnEmptyLog_isFallbackToEnd() {
    logs.log(0, 20, "10:10000 19:19000");

    for (PlannedReset reset :
        List.of(plan(new ResetTarget.AtOrAfter(5)), plan(new ResetTarget.MaxTimestamp()))) {
      assertThat(reset.outcome()).isEqualTo(PlanOutcome.FALLBACK);
      assertThat(offset(reset)).isEqualTo(20);
      assertThat(reset.reason()).isEqualTo("the log holds no records; would go to the end, 20");
    }
  }

  @Test
  void timeOrMaximum_withoutTimestamps_isFallbackToEnd() {
    logs.log(0, 0, "0:-1 1:-1");

    for (PlannedReset reset :
        List.of(plan(new ResetTarget.AtOrAfter(5)), plan(new ResetTarget.MaxTimestamp()))) {
      assertThat(reset.outcome()).isEqualTo(PlanOutcome.FALLBACK);
      assertThat(offset(reset)).isEqualTo(2);
      assertThat(reset.reason())
          .isEqualTo("no record of the log has a timestamp; would go to the end, 2");
    }
  }

  @Test
  void time_cutByTheLogStart_warns() {
    tenRecords();

    PlannedReset cut = plan(new ResetTarget.AtOrAfter(9_000));
    PlannedReset whole = plan(new ResetTarget.AtOrAfter(11_500));

    assertThat(offset(cut)).isEqualTo(10);
    assertThat(cut.outcome()).isEqualTo(PlanOutcome.MOVE);
    assertThat(cut.warnings())
        .containsExactly(
            "the log starts at 10: older records are gone, and some may have been at or after"
                + " 1970-01-01T00:00:09Z");
    assertThat(offset(whole)).isEqualTo(12);
    assertThat(whole.reason()).isEqualTo("the first record at or after 1970-01-01T00:00:11.500Z");
    assertThat(whole.warnings()).isEmpty();
  }

  @Test
  void record_fromTheFuture_warns() {
    logs.log(0, 0, "0:" + NOW_MS + " 1:" + (NOW_MS + 1));

    assertThat(plan(new ResetTarget.Earliest()).warnings()).isEmpty();
    assertThat(plan(new ResetTarget.MaxTimestamp()).warnings())
        .containsExactly(
            "the record at 1 has a timestamp from the future, 1970-01-01T00:16:40.001Z");
  }

  @Test
  void effect_countsRecordsAndTimeBothWays() {
    logs.log(0, 0, "0:1000 1:2000 | 4:5000 5:6000 || 9:9000");
    logs.offsets.put(GROUP, P0, 2);

    PlannedReset forward = plan(new ResetTarget.Offset(9));
    PlannedReset back = plan(new ResetTarget.Earliest());
    PlannedReset end = plan(LATEST);

    assertThat(effect(forward).recordsSkipped()).isEqualTo(2);
    assertThat(effect(forward).recordsReplayed()).isZero();
    assertThat(forward.timeDistanceMs()).hasValue(4000);
    assertThat(effect(back).recordsSkipped()).isZero();
    assertThat(effect(back).recordsReplayed()).isEqualTo(2);
    assertThat(back.timeDistanceMs()).hasValue(-4000);
    assertThat(effect(end).recordsSkipped()).isEqualTo(3);
    assertThat(end.timeDistanceMs()).isEmpty();
    assertThat(Objects.requireNonNull(end.planned()).record()).isNull();
  }

  private static ResetEffect effect(PlannedReset planned) {
    return Objects.requireNonNull(planned.effect());
  }

  @Test
  void before_belowTheLogStart_countsFromThere() {
    tenRecords();
    logs.offsets.put(GROUP, P0, 3);

    PlannedReset reset = plan(new ResetTarget.Offset(12));

    assertThat(effect(reset).recordsSkipped()).isEqualTo(2);
    assertThat(reset.offsetBefore()).hasValue(3);
    assertThat(reset.warnings())
        .containsExactly(
            "the committed offset 3 lies below the log start, 10: what lay between is gone and is"
                + " not counted");
  }

  @Test
  void before_aboveTheEnd_countsFromThere() {
    tenRecords();
    logs.offsets.put(GROUP, P0, 500);

    PlannedReset reset = plan(new ResetTarget.Offset(12));

    assertThat(effect(reset).recordsReplayed()).isEqualTo(8);
    assertThat(effect(reset).nextUnread()).isNull();
    assertThat(reset.timeDistanceMs()).isEmpty();
    assertThat(reset.warnings()).containsExactly("the committed offset 500 lies above the end, 20");
  }

  @Test
  void before_ofAnEarlierTopic_countsAsNone() {
    tenRecords();
    logs.offsets.put(GROUP, P0, 15, OLD_ID);

    PlannedReset move = plan(new ResetTarget.Offset(15));
    PlannedReset shift = plan(new ResetTarget.ShiftBy(1));

    assertThat(move.outcome()).isEqualTo(PlanOutcome.MOVE);
    assertThat(move.offsetBefore()).isEmpty();
    assertThat(move.effect()).isNull();
    assertThat(shift.outcome()).isEqualTo(PlanOutcome.SKIP);
    assertThat(List.of(move, shift))
        .allSatisfy(
            reset ->
                assertThat(reset.warnings())
                    .containsExactly(
                        "the committed offset 15 is of an earlier topic of this name and counts as"
                            + " none"));
  }

  @Test
  void otherGroup_leadsToItsOffsetsOnly() {
    tenRecords();
    logs.log(1, 0, "0:1").log(2, 0, "0:1").log(3, 0, "0:1");
    logs.offsets.put("other", P0, 13);
    logs.offsets.put("other", partition(1), 5);
    logs.offsets.put("other", partition(2), 1, OLD_ID);

    List<PlannedReset> resets =
        logs.plan(
            new ResetTarget.OfGroup(logs.group("other")),
            P0,
            partition(1),
            partition(2),
            partition(3));

    assertThat(resets)
        .extracting(PlannedReset::outcome)
        .containsExactly(
            PlanOutcome.MOVE, PlanOutcome.FALLBACK, PlanOutcome.SKIP, PlanOutcome.SKIP);
    assertThat(resets)
        .extracting(PlannedReset::reason)
        .containsExactly(
            "offset 13, which group 'other' has committed",
            "offset 5, which group 'other' has committed, lies above the end; would go to the end,"
                + " 1",
            "group 'other' has committed nothing in this topic",
            "group 'other' has committed nothing here");
    assertThat(resets.get(2).warnings())
        .containsExactly("the offset 1 of group 'other' is of an earlier topic of this name");
  }

  @Test
  void partitionThatIsGone_failsOnlyIfNamed() {
    tenRecords();
    TopicPartition gone = new TopicPartition("gone", 0);
    TopicPartition beyond = partition(7);

    List<PlannedReset> named = logs.plan(true, LATEST, gone, P0, beyond);
    List<PlannedReset> met = logs.plan(false, LATEST, gone, P0, beyond);

    assertThat(named)
        .extracting(PlannedReset::outcome)
        .containsExactly(PlanOutcome.FAILED, PlanOutcome.MOVE, PlanOutcome.FAILED);
    assertThat(Objects.requireNonNull(named.get(0).error()).reason())
        .isEqualTo(ErrorReason.UNKNOWN_TOPIC);
    assertThat(met)
        .extracting(PlannedReset::outcome)
        .containsExactly(PlanOutcome.SKIP, PlanOutcome.MOVE, PlanOutcome.SKIP);
    assertThat(met.get(0).reason()).isEqualTo("the topic is gone");
    assertThat(met.get(2).reason()).isEqualTo("the topic has no such partition any more");
  }

  @Test
  void failureOfOnePartition_leavesTheOthers() {
    tenRecords();
    logs.log(1, 0, "0:1").log(2, 0, "0:1");
    logs.source.fail(partition(1), WhenceException.of(ErrorReason.DAMAGED_LOG, "torn"));
    logs.source.fail(partition(2), new IllegalStateException("a secret"));

    List<PlannedReset> resets = logs.plan(LATEST, partition(2), partition(1), P0);

    assertThat(resets)
        .extracting(PlannedReset::outcome)
        .containsExactly(PlanOutcome.MOVE, PlanOutcome.FAILED, PlanOutcome.FAILED);
    assertThat(Objects.requireNonNull(resets.get(1).error()).reason())
        .isEqualTo(ErrorReason.DAMAGED_LOG);
    assertThat(resets.get(2).reason()).isEqualTo("the server failed");
  }

  @Test
  void deadline_endsTheWholePlan() {
    tenRecords();
    logs.source.fail(P0, WhenceException.of(ErrorReason.DEADLINE_EXCEEDED, "too late"));

    assertThatThrownBy(() -> logs.plan(LATEST, P0)).hasMessage("too late");
  }

  @Test
  void partitionTwice_isRefused() {
    tenRecords();

    assertThatThrownBy(() -> logs.plan(LATEST, P0, P0))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
