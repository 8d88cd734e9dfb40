package io.whence.grpc;

import io.whence.commit.GroupOffsets;
import io.whence.commit.reset.AppliedReset;
import io.whence.commit.reset.FallbackChoice;
import io.whence.commit.reset.FallbackDecision;
import io.whence.commit.reset.PlannedReset;
import io.whence.commit.reset.ResetApplier;
import io.whence.commit.reset.ResetPlan;
import io.whence.commit.reset.ResetPlans;
import io.whence.model.ErrorReason;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.source.LogSource;
import io.whence.v1.ApplyResetRequest;
import io.whence.v1.ApplyResetResponse;
import io.whence.v1.TopicPartitions;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/** Applies plans. Thread safety: thread-safe. */
final class ApplyResetCalls {
  private final ResetPlans plans;
  private final ResetApplier applier;

  ApplyResetCalls(ResetPlans plans) {
    this.plans = plans;
    this.applier = new ResetApplier(plans);
  }

  CompletionStage<ApplyResetResponse> apply(ApplyResetRequest request, CallScope scope) {
    check(request, scope.limits());
    FallbackChoice choice = choice(request);
    LogSource source = scope.source(request.getSource());
    GroupOffsets offsets = scope.groupOffsets(source);
    ResetPlan plan = plan(request.getPlanId(), source);
    FallbackDecision decision =
        new FallbackDecision(choice, accepted(request, plan, scope.limits()));
    String writer = request.getWriter().isEmpty() ? scope.caller().name() : request.getWriter();
    scope.listener().onPartitions(scope.rpc(), plan.partitions().size());
    return applier
        .apply(plan.id(), decision, writer, offsets, scope.cancellation())
        .thenApply(applied -> response(plan, applied));
  }

  private static void check(ApplyResetRequest request, CallLimits limits) {
    if (request.getPlanId().isEmpty()) {
      throw BadRequests.missing(FieldPath.of("plan_id"), "give the plan_id that PlanReset gave");
    }
    GroupChecks.requireWriter(request.getWriter());
    PartitionBudget budget = new PartitionBudget(limits.partitions(), "partitions");
    for (int i = 0; i < request.getAcceptedFallbacksCount(); i++) {
      GroupChecks.requireTopic(
          request.getAcceptedFallbacks(i), FieldPath.of("accepted_fallbacks", i), budget);
    }
  }

  private static FallbackChoice choice(ApplyResetRequest request) {
    return switch (request.getFallbacks()) {
      case FALLBACK_CHOICE_UNSPECIFIED -> FallbackChoice.REFUSE;
      case FALLBACK_CHOICE_ACCEPT -> FallbackChoice.ACCEPT;
      case FALLBACK_CHOICE_LEAVE_OUT -> FallbackChoice.LEAVE_OUT;
      case UNRECOGNIZED ->
          throw BadRequests.invalid(
              FieldPath.of("fallbacks"),
              request.getFallbacksValue(),
              request.getFallbacksValue() + " is no choice");
    };
  }

  private ResetPlan plan(String id, LogSource source) {
    ResetPlan plan = plans.find(id);
    if (!plan.source().equals(source.name())) {
      throw WhenceException.of(
          ErrorReason.UNKNOWN_PLAN,
          "plan_id: the plan is of source '" + plan.source() + "', not '" + source.name() + "'",
          "plan_id",
          id);
    }
    return plan;
  }

  /** Returns what is accepted by name; a name that the plan doesn't have is taken for a mistake. */
  private static Set<TopicPartition> accepted(
      ApplyResetRequest request, ResetPlan plan, CallLimits limits) {
    Map<String, Set<TopicPartition>> planned = new HashMap<>();
    for (PlannedReset reset : plan.partitions()) {
      TopicPartition partition = reset.partition();
      planned.computeIfAbsent(partition.topic(), topic -> new HashSet<>()).add(partition);
    }
    PartitionBudget budget = new PartitionBudget(limits.partitions(), "partitions");
    Set<TopicPartition> accepted = new HashSet<>();
    for (int i = 0; i < request.getAcceptedFallbacksCount(); i++) {
      TopicPartitions named = request.getAcceptedFallbacks(i);
      Set<TopicPartition> ofTopic = planned.getOrDefault(named.getTopic(), Set.of());
      if (ofTopic.isEmpty()) {
        throw notPlanned(i, "topic '" + BadRequests.shown(named.getTopic()) + "'");
      }
      if (named.getPartitionsCount() == 0) {
        budget.take(ofTopic.size(), FieldPath.of("accepted_fallbacks", i));
        accepted.addAll(ofTopic);
      }
      for (int number : named.getPartitionsList()) {
        TopicPartition partition = new TopicPartition(named.getTopic(), number);
        if (!ofTopic.contains(partition)) {
          throw notPlanned(i, "partition " + number + " of topic '" + named.getTopic() + "'");
        }
        accepted.add(partition);
      }
    }
    return accepted;
  }

  private static WhenceException notPlanned(int index, String what) {
    return BadRequests.invalid(
        FieldPath.of("accepted_fallbacks", index), what, "the plan has no " + what);
  }

  private static ApplyResetResponse response(ResetPlan plan, List<AppliedReset> applied) {
    ApplyResetResponse.Builder response =
        ApplyResetResponse.newBuilder().setSource(plan.source()).setGroup(plan.group());
    applied.forEach(reset -> response.addPartitions(PlanAnswers.applied(reset)));
    return response.build();
  }
}
