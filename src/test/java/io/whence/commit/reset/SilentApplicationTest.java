package io.whence.commit.reset;

import static io.whence.commit.reset.PlannerLogs.GROUP;
import static io.whence.commit.reset.PlannerLogs.partition;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletionException;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Plans whose application a cluster makes without saying so. */
class SilentApplicationTest {
  private static final TopicPartition P0 = partition(0);
  private static final TopicPartition P1 = partition(1);

  private final PlannerLogs logs = new PlannerLogs();
  private final ResetPlans plans =
      new ResetPlans(new PlanLimits(Duration.ofMinutes(1), 10, 100), logs.clock, new Random(3));
  private final ResetApplier applier = new ResetApplier(plans);
  private final SilentOffsets silent = new SilentOffsets(logs.offsets);

  @BeforeEach
  void twoPartitions() {
    logs.log(0, 0, "0:10 1:11 2:12 3:13").log(1, 0, "0:10 1:11 2:12 3:13");
    logs.offsets.put(GROUP, P0, 4);
  }

  @AfterEach
  void close() {
    logs.close();
  }

  private ResetPlan plan(TopicPartition... partitions) {
    return plans.keep(logs.source.name(), GROUP, logs.plan(new ResetTarget.Offset(2), partitions));
  }

  private List<AppliedReset> apply(ResetPlan plan) {
    FallbackDecision none = new FallbackDecision(FallbackChoice.REFUSE, Set.of());
    return applier
        .apply(plan.id(), none, "me", silent, Cancellation.NONE)
        .toCompletableFuture()
        .join();
  }

  private AbstractThrowableAssert<?, ? extends Throwable> assertFails(
      ResetPlan plan, ErrorReason reason) {
    return assertThatThrownBy(() -> apply(plan))
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOfSatisfying(
            WhenceException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }

  private long committed(TopicPartition partition) {
    return logs.group(GROUP).offset(partition).orElseThrow().nextOffset();
  }

  @Test
  void groupThatCannotBeReadBack_isResetAllTheSame() {
    ResetPlan plan = plan(P0);
    silent.failReads();

    assertThat(apply(plan)).containsExactly(new AppliedReset(P0, 4, 2));
    assertThat(apply(plan)).containsExactly(new AppliedReset(P0, 4, 2));
  }

  @Test
  void lostAnswer_isToldByTheNextTry() {
    logs.offsets.put(GROUP, P1, 2);
    ResetPlan plan = plan(P0, P1);
    silent.loseAnswer();

    assertFails(plan, ErrorReason.LEADER_UNAVAILABLE);
    assertThat(committed(P0)).isEqualTo(2);
    assertThat(apply(plan)).containsExactly(new AppliedReset(P0, 4, 2));
    assertThat(apply(plan)).containsExactly(new AppliedReset(P0, 4, 2));
    assertThat(logs.offsets.made()).hasSize(1);
  }

  @Test
  void lostAnswer_andMovedSince_mayHaveBeenApplied() {
    ResetPlan plan = plan(P0, P1);
    silent.loseAnswer();
    assertFails(plan, ErrorReason.LEADER_UNAVAILABLE);
    logs.offsets.put(GROUP, P1, 3);

    assertFails(plan, ErrorReason.PLAN_OUTDATED)
        .hasMessageContaining("an earlier try of this plan")
        .hasMessageNotContaining("nothing was changed");
    assertThat(committed(P1)).isEqualTo(3);
  }

  @Test
  void commitThatWasSaidNotToBeMade_isNotTakenForOneThatMayBe() {
    ResetPlan plan = plan(P0, P1);
    silent.refuse();
    assertFails(plan, ErrorReason.LEADER_UNAVAILABLE);
    logs.offsets.put(GROUP, P0, 2);
    logs.offsets.put(GROUP, P1, 2);

    assertFails(plan, ErrorReason.PLAN_OUTDATED).hasMessageContaining("nothing was changed");
  }

  @Test
  void sameOffsetsOfSomebodyElse_areNoResult() {
    ResetPlan plan = plan(P0, P1);
    logs.offsets.put(GROUP, P0, 2);
    logs.offsets.put(GROUP, P1, 2);

    assertFails(plan, ErrorReason.PLAN_OUTDATED).hasMessageContaining("nothing was changed");
  }
}
