package io.whence.cli;

import io.whence.v1.AppliedReset;
import io.whence.v1.ApplyResetResponse;
import io.whence.v1.PlanOutcome;
import io.whence.v1.PlanResetResponse;
import io.whence.v1.PlannedReset;

/** Plans, and what comes of them, that tests let the fake server give. */
final class ResetAnswers {
  private ResetAnswers() {}

  static PlannedReset.Builder move(int partition, long before, long planned) {
    return reset(partition, PlanOutcome.PLAN_OUTCOME_MOVE)
        .setOffsetBefore(before)
        .setPlannedOffset(planned);
  }

  static PlannedReset.Builder fallback(int partition) {
    return reset(partition, PlanOutcome.PLAN_OUTCOME_FALLBACK)
        .setPlannedOffset(812)
        .setReason("nothing at or after");
  }

  static PlannedReset.Builder reset(int partition, PlanOutcome outcome) {
    return PlannedReset.newBuilder().setTopic("orders").setPartition(partition).setOutcome(outcome);
  }

  static PlanResetResponse.Builder plan(String group, PlannedReset.Builder... resets) {
    PlanResetResponse.Builder plan =
        PlanResetResponse.newBuilder()
            .setSource("embedded")
            .setGroup(group)
            .setPlanId("plan-" + group);
    for (PlannedReset.Builder reset : resets) {
      plan.addPartitions(reset);
    }
    return plan;
  }

  static ApplyResetResponse applied(String group, AppliedReset.Builder reset) {
    return ApplyResetResponse.newBuilder()
        .setGroup(group)
        .addPartitions(reset.setTopic("orders").setOffsetAfter(42))
        .build();
  }
}
