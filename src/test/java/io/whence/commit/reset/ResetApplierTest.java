package io.whence.commit.reset;

import static io.whence.commit.reset.PlannerLogs.GROUP;
import static io.whence.commit.reset.PlannerLogs.NEW_ID;
import static io.whence.commit.reset.PlannerLogs.OLD_ID;
import static io.whence.commit.reset.PlannerLogs.partition;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.commit.ChangeCause;
import io.whence.commit.CommitRequest;
import io.whence.commit.CommittedOffset;
import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ResetApplierTest {
  private static final FallbackDecision NONE =
      new FallbackDecision(FallbackChoice.REFUSE, Set.of());
  private static final ResetTarget TO_2 = new ResetTarget.Offset(2);
  private static final TopicPartition P0 = partition(0);
  private static final TopicPartition P1 = partition(1);
  private static final TopicPartition P2 = partition(2);

  private final PlannerLogs logs = new PlannerLogs();
  private final ResetPlans plans =
      new ResetPlans(new PlanLimits(Duration.ofMinutes(1), 10, 100), logs.clock, new Random(3));
  private final ResetApplier applier = new ResetApplier(plans);

  @BeforeEach
  void threePartitions() {
    logs.log(0, 0, "0:10 1:11 2:12 3:13").log(1, 0, "0:10 1:11 2:12 3:13").log(2, 0, "0:10");
    logs.offsets.put(GROUP, P0, 4);
  }

  @AfterEach
  void close() {
    logs.close();
  }

  private ResetPlan plan(ResetTarget target, TopicPartition... partitions) {
    return plans.keep(logs.source.name(), GROUP, logs.plan(target, partitions));
  }

  private List<AppliedReset> apply(ResetPlan plan, FallbackDecision decision) {
    return stage(plan, decision).toCompletableFuture().join();
  }

  private CompletionStage<List<AppliedReset>> stage(ResetPlan plan, FallbackDecision decision) {
    return applier.apply(plan.id(), decision, "me", logs.offsets, Cancellation.NONE);
  }

  private Optional<CommittedOffset> committed(TopicPartition partition) {
    return logs.group(GROUP).offset(partition);
  }

  private static WhenceException failure(ThrowingCallable call) {
    WhenceException[] found = new WhenceException[1];
    assertThatThrownBy(call)
        .satisfies(
            thrown ->
                found[0] =
                    (WhenceException)
                        (thrown instanceof CompletionException ? thrown.getCause() : thrown));
    return found[0];
  }

  private static void assertNames(WhenceException failure, ResetPlan plan, TopicPartition named) {
    assertThat(failure.metadata())
        .containsEntry("plan_id", plan.id())
        .containsEntry("topic", named.topic())
        .containsEntry("partition", String.valueOf(named.partition()));
  }

  @Test
  void plan_isAppliedInOneAtomicCommit() {
    logs.offsets.put(GROUP, P1, 2);
    ResetPlan plan = plan(TO_2, P0, P1);

    List<AppliedReset> applied = apply(plan, NONE);

    assertThat(applied).containsExactly(new AppliedReset(P0, 4, 2));
    CommitRequest made = logs.offsets.made().get(0);
    assertThat(made.atomic()).isTrue();
    assertThat(made.requestId()).isEqualTo(plan.id());
    assertThat(made.writer()).isEqualTo("me");
    assertThat(made.cause()).isEqualTo(ChangeCause.RESET);
    assertThat(committed(P0).orElseThrow().epoch()).isZero();
    assertThat(committed(P0).orElseThrow().metadata()).isEmpty();
    assertThat(committed(P0).orElseThrow().id()).isEqualTo(NEW_ID);
    assertThat(committed(P1).orElseThrow().epoch()).isEqualTo(3);
    assertThat(committed(P1).orElseThrow().metadata()).isEqualTo("kept");
  }

  @Test
  void groupWithoutOffsets_isMadeByTheReset() {
    logs.clock.advance(5);
    ResetPlan plan = plan(new ResetTarget.AtOrAfter(12), P1);

    assertThat(apply(plan, NONE)).containsExactly(new AppliedReset(P1, -1, 2));
    assertThat(committed(P1).orElseThrow().nextOffset()).isEqualTo(2);
  }

  @Test
  void unknownPlan_isRefused() {
    WhenceException failure =
        failure(() -> applier.apply("nonesuch", NONE, "me", logs.offsets, Cancellation.NONE));

    assertThat(failure.reason()).isEqualTo(ErrorReason.UNKNOWN_PLAN);
  }

  @Test
  void failedPartition_isNotApplied() {
    ResetPlan plan = plan(TO_2, P0, partition(9));

    WhenceException failure =
        failure(() -> stage(plan, new FallbackDecision(FallbackChoice.ACCEPT, Set.of())));

    assertThat(failure.reason()).isEqualTo(ErrorReason.PLAN_INCOMPLETE);
    assertNames(failure, plan, partition(9));
    assertThat(logs.offsets.made()).isEmpty();
  }

  @Test
  void fallback_withoutDecision_isRefused() {
    logs.log(3, 0, "0:10");
    ResetPlan plan = plan(TO_2, P0, P2, partition(3));

    WhenceException failure = failure(() -> stage(plan, NONE));

    assertThat(plan.isReady()).isFalse();
    assertThat(failure.reason()).isEqualTo(ErrorReason.FALLBACK_NOT_ACCEPTED);
    assertThat(failure.getMessage())
        .contains("orders-2 (offset 2 lies above the end; would go to the end, 1) and 1 more");
    assertNames(failure, plan, P2);
    assertThat(logs.offsets.made()).isEmpty();
  }

  @Test
  void fallback_isCommittedOrLeftOut_asDecided() {
    logs.log(3, 0, "0:10");
    TopicPartition p3 = partition(3);
    ResetPlan leaving = plan(TO_2, P0, P2, p3);
    FallbackDecision leaveOut = new FallbackDecision(FallbackChoice.LEAVE_OUT, Set.of(p3));

    assertThat(apply(leaving, leaveOut))
        .containsExactly(new AppliedReset(P0, 4, 2), new AppliedReset(p3, -1, 1));
    assertThat(committed(P2)).isEmpty();
    ResetPlan naming = plan(TO_2, P2);
    assertThat(apply(naming, new FallbackDecision(FallbackChoice.REFUSE, Set.of(P2))))
        .containsExactly(new AppliedReset(P2, -1, 1));
    ResetPlan accepting = plan(new ResetTarget.Offset(9), P0);
    assertThat(apply(accepting, new FallbackDecision(FallbackChoice.ACCEPT, Set.of())))
        .containsExactly(new AppliedReset(P0, 2, 4));
  }

  @Test
  void skippedPartitions_areNotTouched() {
    ResetPlan plan = plan(new ResetTarget.ShiftBy(-1), P0, P1);
    logs.offsets.put(GROUP, P1, 1);

    assertThat(apply(plan, NONE)).containsExactly(new AppliedReset(P0, 4, 3));
    assertThat(committed(P1).orElseThrow().nextOffset()).isEqualTo(1);
    assertThat(apply(plan(new ResetTarget.Current(), P2), NONE)).isEmpty();
  }

  @Test
  void planThatChangesNothing_commitsNothing() {
    logs.offsets.put(GROUP, P1, 40);
    ResetPlan plan = plan(new ResetTarget.Current(), P0, P1);

    assertThat(apply(plan, NONE)).isEmpty();
    assertThat(logs.offsets.made()).isEmpty();
  }

  @Test
  void commitBetweenPlanAndApply_makesItOutdated() {
    logs.offsets.put(GROUP, P1, 1);
    ResetPlan plan = plan(TO_2, P0, P1);
    logs.offsets.put(GROUP, P1, 3);

    WhenceException failure = failure(() -> apply(plan, NONE));

    assertThat(failure.reason()).isEqualTo(ErrorReason.PLAN_OUTDATED);
    assertNames(failure, plan, P1);
    assertThat(failure.getMessage()).contains("offset 1 was committed, and now it is offset 3");
    assertThat(committed(P0).orElseThrow().nextOffset()).isEqualTo(4);
    assertThat(committed(P1).orElseThrow().nextOffset()).isEqualTo(3);
    assertThat(logs.offsets.made()).isEmpty();
  }

  @Test
  void outdatedPlan_staysOutdated_whateverIsDecided() {
    ResetPlan plan = plan(TO_2, P0, P2);
    FallbackDecision accept = new FallbackDecision(FallbackChoice.ACCEPT, Set.of());
    FallbackDecision leaveOut = new FallbackDecision(FallbackChoice.LEAVE_OUT, Set.of());
    logs.offsets.put(GROUP, P2, 0);

    WhenceException first = failure(() -> apply(plan, accept));
    WhenceException second = failure(() -> apply(plan, leaveOut));

    assertThat(first.reason()).isEqualTo(ErrorReason.PLAN_OUTDATED);
    assertThat(second).isSameAs(first);
    assertThat(committed(P0).orElseThrow().nextOffset()).isEqualTo(4);
  }

  @Test
  void offsetCommittedAnewInBetween_makesItOutdated() {
    ResetPlan plan = plan(TO_2, P0);
    logs.offsets.put(GROUP, P0, 4);

    WhenceException failure = failure(() -> apply(plan, NONE));

    assertThat(failure.reason()).isEqualTo(ErrorReason.PLAN_OUTDATED);
    assertThat(failure.getMessage()).contains("offset 4 was committed, and was committed again");
  }

  @Test
  void commitOfAnUnchangedPartition_makesItOutdated() {
    logs.offsets.put(GROUP, P1, 2);
    ResetPlan plan = plan(TO_2, P0, P1);
    logs.offsets.put(GROUP, P1, 3);

    WhenceException failure = failure(() -> apply(plan, NONE));

    assertNames(failure, plan, P1);
    assertThat(committed(P0).orElseThrow().nextOffset()).isEqualTo(4);
  }

  @Test
  void firstCommitOrDeletion_makesItOutdated() {
    ResetPlan plan = plan(TO_2, P0, P1);
    logs.offsets.put(GROUP, P1, 3);
    assertThat(failure(() -> apply(plan, NONE)).getMessage())
        .contains("nothing was committed, and now it is offset 3");

    ResetPlan other = plan(TO_2, P0);
    logs.offsets.deleteOffsets(GROUP, List.of(P0), Cancellation.NONE);
    assertThat(failure(() -> apply(other, NONE)).getMessage())
        .contains("offset 4 was committed, and now it is nothing");
  }

  @Test
  void topicMadeAnewOrGone_makesItOutdated() {
    ResetPlan one = plan(TO_2, P0, P1);
    ResetPlan other = plan(TO_2, P0, P1);
    logs.source.put(P0, logs.source.snapshot(P0), OLD_ID);
    WhenceException stale = failure(() -> apply(one, NONE));
    logs.source.remove("orders");
    WhenceException gone = failure(() -> apply(other, NONE));

    assertThat(stale.reason()).isEqualTo(ErrorReason.PLAN_OUTDATED);
    assertNames(stale, one, P0);
    assertThat(gone.reason()).isEqualTo(ErrorReason.PLAN_OUTDATED);
    assertNames(gone, other, P0);
    assertThat(committed(P0).orElseThrow().nextOffset()).isEqualTo(4);
  }

  @Test
  void plannedOffsetNoLongerInTheLog_makesItOutdated() {
    ResetPlan plan = plan(TO_2, P0, P1);
    logs.log(1, 3, "0:10 1:11 2:12 3:13");

    WhenceException failure = failure(() -> apply(plan, NONE));

    assertThat(failure.reason()).isEqualTo(ErrorReason.PLAN_OUTDATED);
    assertNames(failure, plan, P1);
    assertThat(committed(P0).orElseThrow().nextOffset()).isEqualTo(4);
  }

  @Test
  void offsetOfAnEarlierTopic_isReplaced() {
    logs.offsets.put(GROUP, P1, 30, OLD_ID, 8);
    ResetPlan plan = plan(TO_2, P1);

    assertThat(apply(plan, NONE)).containsExactly(new AppliedReset(P1, -1, 2));
    assertThat(committed(P1).orElseThrow().id()).isEqualTo(NEW_ID);
  }

  @Test
  void epochOfAWriter_doesNotFenceAReset_andStays() {
    logs.offsets.put(GROUP, P1, 3, NEW_ID, 8);

    assertThat(apply(plan(TO_2, P1), NONE)).containsExactly(new AppliedReset(P1, 3, 2));
    assertThat(committed(P1).orElseThrow().writerEpoch()).hasValue(8);
  }

  @Test
  void appliedPlan_givesItsResultAgain_andCommitsNothing() {
    ResetPlan plan = plan(TO_2, P0);
    List<AppliedReset> first = apply(plan, NONE);
    logs.offsets.put(GROUP, P0, 3);
    logs.clock.advance(59_999);

    List<AppliedReset> again =
        apply(plan, new FallbackDecision(FallbackChoice.LEAVE_OUT, Set.of()));

    assertThat(again).isEqualTo(first);
    assertThat(committed(P0).orElseThrow().nextOffset()).isEqualTo(3);
    assertThat(logs.offsets.made()).hasSize(1);
  }

  @Test
  void twoAtOnce_commitOnce_andNobodyIsToldBeforeTheDisk() {
    ResetPlan plan = plan(TO_2, P0);
    logs.offsets.holdDisk();
    CompletableFuture<List<AppliedReset>> one = stage(plan, NONE).toCompletableFuture();
    CompletableFuture<List<AppliedReset>> two = stage(plan, NONE).toCompletableFuture();
    assertThat(one).isNotDone();
    assertThat(two).isNotDone();

    logs.offsets.releaseDisk();

    assertThat(one).isCompletedWithValue(List.of(new AppliedReset(P0, 4, 2)));
    assertThat(two).isCompletedWithValue(one.join());
    assertThat(logs.offsets.made()).hasSize(1);
  }

  @Test
  void fullDisk_changesNothing_andAllowsAnotherTry() {
    ResetPlan plan = plan(TO_2, P0);
    logs.offsets.holdDisk();
    CompletionStage<List<AppliedReset>> first = stage(plan, NONE);
    logs.offsets.failDisk();

    assertThat(failure(() -> first.toCompletableFuture().join()).reason())
        .isEqualTo(ErrorReason.STORAGE_FULL);
    assertThat(committed(P0).orElseThrow().nextOffset()).isEqualTo(4);
    assertThat(apply(plan, NONE)).containsExactly(new AppliedReset(P0, 4, 2));
  }

  @Test
  void readOnlySource_canBePlannedButNotApplied() {
    logs.offsets.makeReadOnly();
    ResetPlan plan = plan(TO_2, P0);

    assertThat(plan.isReady()).isTrue();
    assertThat(failure(() -> apply(plan, NONE)).reason()).isEqualTo(ErrorReason.READ_ONLY_SOURCE);
  }

  @Test
  void leaderEpoch_isThatOfTheRecordAtTheVeryOffset() {
    logs.log(3, 0, "0:10 | 5:15");
    TopicPartition p3 = partition(3);

    apply(plan(new ResetTarget.Offset(5), p3), NONE);
    assertThat(committed(p3).orElseThrow().leaderEpoch()).hasValue(0);
    apply(plan(new ResetTarget.Offset(3), p3), NONE);
    assertThat(committed(p3).orElseThrow().leaderEpoch()).isEmpty();
    apply(plan(new ResetTarget.Latest(), p3), NONE);
    assertThat(committed(p3).orElseThrow().leaderEpoch()).isEmpty();
  }

  @Test
  void readBack_showsWhatSomebodyCommittedSince() {
    ResetPlan plan = plan(TO_2, P0);
    logs.offsets.holdDisk();
    CompletionStage<List<AppliedReset>> applied = stage(plan, NONE);
    logs.offsets.put(GROUP, P0, 3);
    logs.offsets.releaseDisk();

    assertThat(applied.toCompletableFuture().join()).containsExactly(new AppliedReset(P0, 4, 3));
  }
}
