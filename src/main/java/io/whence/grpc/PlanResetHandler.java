package io.whence.grpc;

import io.whence.commit.Group;
import io.whence.commit.GroupOffsets;
import io.whence.commit.reset.PlanOutcome;
import io.whence.commit.reset.PlannedReset;
import io.whence.commit.reset.ResetPlan;
import io.whence.commit.reset.ResetPlanner;
import io.whence.commit.reset.ResetPlans;
import io.whence.commit.reset.ResetRequest;
import io.whence.commit.reset.ResetTarget;
import io.whence.model.ErrorReason;
import io.whence.model.IsolationLevel;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.source.LogSource;
import io.whence.v1.PlanResetRequest;
import io.whence.v1.PlanResetResponse;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Answers PlanReset. What the groups have committed is read before the logs, which only grow.
 * Thread safety: thread-safe.
 */
final class PlanResetHandler implements CallRunner.Work<PlanResetRequest, PlanResetResponse> {
  private final ResetPlanner planner;
  private final ResetPlans plans;

  PlanResetHandler(ResetPlanner planner, ResetPlans plans) {
    this.planner = planner;
    this.plans = plans;
  }

  @Override
  public PlanResetResponse answer(PlanResetRequest request, CallScope scope) {
    GroupChecks.requireGroup(request.getGroup(), FieldPath.of("group"));
    ResetPartitions.check(request, scope.limits());
    IsolationLevel isolation =
        Protos.isolation(request.getIsolationLevel(), request.getIsolationLevelValue());
    TimePoints times = new TimePoints(scope.serverTimeMs(), request.getAllowUnusualTime());
    ResetTarget target =
        ResetTargets.of(request.getTarget(), times, new OtherGroups(request, scope));
    LogSource source = scope.source(request.getSource());
    Group group = group(request.getGroup(), offsets(request, scope));
    ResetRequest wanted =
        new ResetRequest(
            group,
            ResetPartitions.of(request, target, group, source, scope.limits()),
            ResetPartitions.areNamed(request, target),
            target,
            isolation);
    List<PlannedReset> planned =
        planner.plan(
            wanted,
            source,
            scope.cancellation(),
            (partition, fault) -> internal(scope, partition, fault));
    report(planned, scope);
    return response(plans.keep(source.name(), group.name(), planned), target, scope);
  }

  private static GroupOffsets offsets(PlanResetRequest request, CallScope scope) {
    return scope.groupOffsets(scope.source(request.getSource()));
  }

  private static Group group(String name, GroupOffsets offsets) {
    return offsets.group(name).orElseGet(() -> Group.empty(name));
  }

  /** Groups to follow. One that isn't there is more likely misspelled than empty. */
  private record OtherGroups(PlanResetRequest request, CallScope scope)
      implements ResetTargets.Groups {
    @Override
    public Group group(String name) {
      return known(name, offsets(request, scope), "target.group");
    }

    @Override
    public ResetTarget.OfSourceGroup ofSource(String source, String name) {
      LogSource other = scope.source(source);
      if (other.name().equals(scope.source(request.getSource()).name())) {
        throw BadRequests.invalid(
            FieldPath.of("target").child("source_group").child("source"),
            source,
            "is the source of the reset itself; use target.group, which takes offsets as they are");
      }
      String named = name.isEmpty() ? request.getGroup() : name;
      return new ResetTarget.OfSourceGroup(
          other, known(named, scope.groupOffsets(other), "target.source_group.group"));
    }

    private static Group known(String name, GroupOffsets offsets, String field) {
      Group group = PlanResetHandler.group(name, offsets);
      if (group.isEmpty()) {
        throw WhenceException.of(
            ErrorReason.UNKNOWN_GROUP,
            field + ": group '" + BadRequests.shown(name) + "' has committed nothing",
            "group",
            BadRequests.shown(name));
      }
      return group;
    }
  }

  private static WhenceException internal(
      CallScope scope, TopicPartition partition, RuntimeException fault) {
    var unused = PartitionGuard.error(scope, partition.topic(), partition.partition(), fault);
    return GrpcErrors.internal();
  }

  private static void report(List<PlannedReset> planned, CallScope scope) {
    Map<PlanOutcome, Long> tally = new EnumMap<>(PlanOutcome.class);
    planned.forEach(reset -> tally.merge(reset.outcome(), 1L, Long::sum));
    scope.listener().onPartitions(scope.rpc(), planned.size());
    tally.forEach(
        (outcome, count) ->
            scope
                .listener()
                .onAnswers(scope.rpc(), "none", outcome.name().toLowerCase(Locale.ROOT), count));
  }

  private static PlanResetResponse response(ResetPlan plan, ResetTarget target, CallScope scope) {
    PlanResetResponse.Builder response =
        PlanResetResponse.newBuilder()
            .setSource(plan.source())
            .setGroup(plan.group())
            .setPlanId(plan.id())
            .setExpiresAtMs(plan.expiresAtMs())
            .setReady(plan.isReady())
            .setServerTimeMs(scope.serverTimeMs());
    if (target instanceof ResetTarget.AtOrAfter time) {
      response.setTargetTimestampMs(time.targetTimestampMs());
    }
    plan.partitions().forEach(reset -> response.addPartitions(PlanAnswers.planned(reset)));
    return response.build();
  }
}
