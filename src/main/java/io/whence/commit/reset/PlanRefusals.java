package io.whence.commit.reset;

import io.whence.commit.CommitResult;
import io.whence.model.ErrorReason;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import java.util.List;
import java.util.OptionalLong;

/** Says why a plan is not applied. */
final class PlanRefusals {
  private PlanRefusals() {}

  static WhenceException incomplete(ResetPlan plan, PlannedReset failed) {
    return refusal(
        ErrorReason.PLAN_INCOMPLETE,
        plan,
        failed.partition(),
        failed.partition() + " could not be planned: " + failed.reason() + "; make a new plan");
  }

  static WhenceException notAccepted(ResetPlan plan, List<PlannedReset> fallbacks) {
    PlannedReset first = fallbacks.get(0);
    String others = fallbacks.size() == 1 ? "" : " and " + (fallbacks.size() - 1) + " more";
    return refusal(
        ErrorReason.FALLBACK_NOT_ACCEPTED,
        plan,
        first.partition(),
        "fallbacks: neither accepted nor left out are "
            + first.partition()
            + " ("
            + first.reason()
            + ")"
            + others);
  }

  /** Says what moved; what has nothing to do with the plan stays as it is. */
  static WhenceException outdated(
      KeptPlan kept, PlannedReset planned, CommitResult result, WhenceException failure) {
    return switch (failure.reason()) {
      case CONFLICT, FENCED, REGRESSION ->
          outdated(kept, planned, committed(planned.offsetBefore(), result.offsetBefore()));
      case STALE_TOPIC, UNKNOWN_TOPIC, UNKNOWN_PARTITION ->
          outdated(kept, planned, "the topic was deleted, and perhaps created again");
      case OFFSET_OUT_OF_RANGE ->
          outdated(
              kept, planned, "the planned offset lies outside the log: " + failure.getMessage());
      default -> failure;
    };
  }

  private static String committed(OptionalLong before, OptionalLong now) {
    return before.equals(now)
        ? shown(now) + " was committed, and was committed again since"
        : shown(before) + " was committed, and now it is " + shown(now);
  }

  private static String shown(OptionalLong offset) {
    return offset.isPresent() ? "offset " + offset.getAsLong() : "nothing";
  }

  private static WhenceException outdated(KeptPlan kept, PlannedReset planned, String what) {
    return refusal(
        ErrorReason.PLAN_OUTDATED,
        kept.plan(),
        planned.partition(),
        planned.partition()
            + " moved since the plan was made: "
            + what
            + (kept.isMaybeApplied()
                ? "; an earlier try of this plan, of which the cluster did not say what became of"
                    + " it, may have moved it: look at the offsets, and make a new plan"
                : "; nothing was changed, make a new plan"));
  }

  private static WhenceException refusal(
      ErrorReason reason, ResetPlan plan, TopicPartition partition, String message) {
    return WhenceException.of(
        reason,
        message,
        "plan_id",
        plan.id(),
        "topic",
        partition.topic(),
        "partition",
        partition.partition());
  }
}
