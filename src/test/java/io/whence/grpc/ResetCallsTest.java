package io.whence.grpc;

import static io.whence.grpc.ResetCalls.FIRST_MS;
import static io.whence.grpc.ResetCalls.LATEST;
import static io.whence.grpc.ResetCalls.NOW_MS;
import static io.whence.grpc.ResetCalls.at;
import static io.whence.grpc.ResetCalls.atMs;
import static io.whence.grpc.ResetCalls.offset;
import static io.whence.grpc.ResetCalls.offsets;
import static io.whence.grpc.ResetCalls.orders;
import static io.whence.grpc.ResetCalls.topic;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.Timestamp;
import io.whence.commit.ChangeCause;
import io.whence.commit.OffsetChange;
import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import io.whence.v1.AppliedReset;
import io.whence.v1.ApplyResetResponse;
import io.whence.v1.FallbackChoice;
import io.whence.v1.PlanOutcome;
import io.whence.v1.PlanResetResponse;
import io.whence.v1.PlannedReset;
import io.whence.v1.ResetTarget;
import io.whence.v1.TimePoint;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Plans and applies over real logs and real group offsets. */
class ResetCallsTest {
  @TempDir Path directory;
  private ResetCalls calls;

  @BeforeEach
  void open() throws IOException {
    calls = new ResetCalls(directory);
  }

  @AfterEach
  void close() throws IOException {
    calls.close();
  }

  @Test
  void planThenApply_movesTheGroupAndIsInItsHistory() {
    calls.commit("g", 0, 4);
    calls.commit("g", 1, 2);

    PlanResetResponse plan = calls.plan(atMs(FIRST_MS + 500));
    PlannedReset first = plan.getPartitions(0);

    assertThat(plan.getReady()).isTrue();
    assertThat(plan.getSource()).isEqualTo("local");
    assertThat(plan.getGroup()).isEqualTo("g");
    assertThat(plan.getPlanId()).hasSize(22);
    assertThat(plan.getExpiresAtMs()).isEqualTo(NOW_MS + 600_000);
    assertThat(plan.getTargetTimestampMs()).isEqualTo(FIRST_MS + 500);
    assertThat(plan.getServerTimeMs()).isEqualTo(NOW_MS);
    assertThat(first.getOutcome()).isEqualTo(PlanOutcome.PLAN_OUTCOME_MOVE);
    assertThat(first.getOffsetBefore()).isEqualTo(4);
    assertThat(first.getPlannedOffset()).isEqualTo(1);
    assertThat(first.getRecordsSkipped()).isZero();
    assertThat(first.getRecordsReplayed()).isEqualTo(3);
    assertThat(first.hasTimeDistanceMs()).isFalse();
    assertThat(first.getRecord().getTimestampMs()).isEqualTo(FIRST_MS + 1_000);
    assertThat(first.getBounds().getEndOffset()).isEqualTo(4);
    assertThat(calls.committed(0)).isEqualTo(4);

    ApplyResetResponse applied = calls.apply(plan.getPlanId(), decision -> {});

    assertThat(applied.getPartitionsList()).containsExactly(applied(0, 4, 1), applied(1, 2, 1));
    assertThat(calls.committed(0)).isEqualTo(1);
    OffsetChange change = calls.offsets.history("g", orders(0), 1, Cancellation.NONE).get(0);
    assertThat(change.cause()).isEqualTo(ChangeCause.RESET);
    assertThat(change.requestId()).isEqualTo(plan.getPlanId());
    assertThat(change.writer()).isEqualTo("on-call");
    assertThat(calls.apply(plan.getPlanId(), decision -> {})).isEqualTo(applied);
  }

  private static AppliedReset applied(int partition, long before, long after) {
    return AppliedReset.newBuilder()
        .setTopic("orders")
        .setPartition(partition)
        .setOffsetBefore(before)
        .setOffsetAfter(after)
        .build();
  }

  @Test
  void groupThatIsNew_isMadeAtATime() {
    PlanResetResponse plan = calls.plan(atMs(FIRST_MS + 1_000), topic("orders", 0));

    ApplyResetResponse applied = calls.apply(plan.getPlanId(), decision -> {});

    assertThat(plan.getPartitions(0).hasOffsetBefore()).isFalse();
    assertThat(plan.getPartitions(0).hasRecordsSkipped()).isFalse();
    assertThat(applied.getPartitions(0).hasOffsetBefore()).isFalse();
    assertThat(calls.committed(0)).isEqualTo(1);
  }

  @Test
  void commitAfterThePlan_refusesAllOfIt() {
    calls.commit("g", 0, 4);
    calls.commit("g", 1, 2);
    PlanResetResponse plan = calls.plan(atMs(FIRST_MS));
    calls.commit("g", 1, 1);

    Throwable thrown =
        catchThrowableOfType(
            java.util.concurrent.CompletionException.class,
            () -> calls.apply(plan.getPlanId(), decision -> {}));

    WhenceException failure = (WhenceException) thrown.getCause();
    assertThat(failure.reason()).isEqualTo(ErrorReason.PLAN_OUTDATED);
    assertThat(failure.metadata())
        .containsEntry("plan_id", plan.getPlanId())
        .containsEntry("topic", "orders")
        .containsEntry("partition", "1");
    assertThat(failure.getMessage()).contains("offset 2 was committed, and now it is offset 1");
    assertThat(calls.committed(0)).isEqualTo(4);
    assertThat(calls.committed(1)).isEqualTo(1);
  }

  @Test
  void fallback_needsAYes() {
    PlanResetResponse plan = calls.plan(atMs(FIRST_MS + 1_000), topic("orders"));

    assertThat(plan.getReady()).isFalse();
    assertThat(plan.getPartitionsList())
        .extracting(PlannedReset::getReason)
        .containsExactly(
            "the first record at or after 2023-11-14T22:13:21Z",
            "nothing at or after 2023-11-14T22:13:21Z yet; would go to the end, 2",
            "the log holds no records; would go to the end, 0");
    assertThat(calls.refusal(plan.getPlanId(), decision -> {}).reason())
        .isEqualTo(ErrorReason.FALLBACK_NOT_ACCEPTED);
    assertThat(
            calls
                .refusal(plan.getPlanId(), d -> d.addAcceptedFallbacks(topic("orders", 2)))
                .metadata())
        .containsEntry("partition", "1");
    assertThat(calls.offsets.group("g")).isEmpty();

    ApplyResetResponse applied =
        calls.apply(
            plan.getPlanId(),
            decision ->
                decision
                    .setFallbacks(FallbackChoice.FALLBACK_CHOICE_LEAVE_OUT)
                    .addAcceptedFallbacks(topic("orders", 1)));

    assertThat(applied.getPartitionsList())
        .extracting(AppliedReset::getOffsetAfter)
        .containsExactly(1L, 2L);
  }

  @Test
  void acceptedFallbackThatThePlanDoesNotHave_isRefused() {
    PlanResetResponse plan = calls.plan(LATEST, topic("orders", 0));

    WhenceException partition =
        calls.refusal(plan.getPlanId(), d -> d.addAcceptedFallbacks(topic("orders", 0, 1)));
    WhenceException topic =
        calls.refusal(plan.getPlanId(), d -> d.addAcceptedFallbacks(topic("order")));

    assertThat(List.of(partition, topic))
        .allSatisfy(
            failure -> {
              assertThat(failure.reason()).isEqualTo(ErrorReason.INVALID_ARGUMENT);
              assertThat(failure.metadata()).containsEntry("field", "accepted_fallbacks[0]");
            });
  }

  @Test
  void failedPartition_makesThePlanIncomplete() {
    PlanResetResponse plan = calls.plan(LATEST, topic("orders", 0, 9));

    assertThat(plan.getReady()).isFalse();
    assertThat(plan.getPartitions(1).getOutcome()).isEqualTo(PlanOutcome.PLAN_OUTCOME_FAILED);
    assertThat(plan.getPartitions(1).getError().getReason())
        .isEqualTo(io.whence.v1.ErrorReason.ERROR_REASON_UNKNOWN_PARTITION);
    assertThat(calls.refusal(plan.getPlanId(), decision -> {}).reason())
        .isEqualTo(ErrorReason.PLAN_INCOMPLETE);
  }

  @Test
  void topicMadeAnew_skipsWhatIsShiftedAndOutdatesOlderPlans() {
    calls.commit("g", 0, 4);
    PlanResetResponse old = calls.plan(atMs(FIRST_MS));
    calls.source.deleteTopic("orders", java.util.Optional.empty());
    calls.source.createTopic("orders", 1, Map.of());

    PlanResetResponse shift = calls.plan(ResetTarget.newBuilder().setShiftBy(-1).build());
    Throwable thrown =
        catchThrowableOfType(
            java.util.concurrent.CompletionException.class,
            () -> calls.apply(old.getPlanId(), decision -> {}));

    assertThat(shift.getPartitions(0).getOutcome()).isEqualTo(PlanOutcome.PLAN_OUTCOME_SKIP);
    assertThat(shift.getPartitions(0).getWarnings(0)).contains("of an earlier topic");
    assertThat(((WhenceException) thrown.getCause()).reason()).isEqualTo(ErrorReason.PLAN_OUTDATED);
    PlanResetResponse anew = calls.plan(LATEST);
    assertThat(calls.apply(anew.getPlanId(), decision -> {}).getPartitions(0).hasOffsetBefore())
        .isFalse();
    assertThat(calls.committed(0)).isZero();
  }

  @Test
  void otherGroup_givesPartitionsAndOffsets() {
    calls.commit("other", 0, 3);
    calls.commit("g", 1, 1);
    ResetTarget target = ResetTarget.newBuilder().setGroup("other").build();

    PlanResetResponse plan = calls.plan(target);
    WhenceException unknown =
        catchThrowableOfType(
            WhenceException.class,
            () -> calls.plan(ResetTarget.newBuilder().setGroup("nobody").build()));

    assertThat(plan.getPartitionsList()).hasSize(1);
    assertThat(plan.getPartitions(0).getPlannedOffset()).isEqualTo(3);
    assertThat(unknown.reason()).isEqualTo(ErrorReason.UNKNOWN_GROUP);
  }

  @Test
  void listOfOffsets_givesPartitions() {
    PlanResetResponse plan = calls.plan(offsets(offset(1, 2), offset(0, 9)));

    assertThat(plan.getPartitionsList())
        .extracting(PlannedReset::getPartition)
        .containsExactly(0, 1);
    assertThat(plan.getPartitions(0).getOutcome()).isEqualTo(PlanOutcome.PLAN_OUTCOME_FALLBACK);
    assertThat(plan.getPartitions(1).getPlannedOffset()).isEqualTo(2);
  }

  @Test
  void fractionsOfAMillisecond_roundUp() {
    TimePoint.Builder time =
        TimePoint.newBuilder()
            .setTimestamp(Timestamp.newBuilder().setSeconds(FIRST_MS / 1000).setNanos(1));

    assertThat(calls.plan(at(time), topic("orders", 0)).getPartitions(0).getPlannedOffset())
        .isEqualTo(1);
  }

  @Test
  void planOfAnExpiredOrUnknownId_isRefused() {
    PlanResetResponse plan = calls.plan(LATEST, topic("orders", 0));
    calls.clock.advance(600_000);

    assertThat(calls.refusal(plan.getPlanId(), decision -> {}).reason())
        .isEqualTo(ErrorReason.UNKNOWN_PLAN);
    assertThat(calls.refusal("nonesuch", decision -> {}).reason())
        .isEqualTo(ErrorReason.UNKNOWN_PLAN);
  }
}
