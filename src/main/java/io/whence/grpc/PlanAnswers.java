package io.whence.grpc;

import io.whence.commit.reset.AppliedReset;
import io.whence.commit.reset.PlanOutcome;
import io.whence.commit.reset.PlannedOffset;
import io.whence.commit.reset.PlannedReset;
import io.whence.commit.reset.ResetEffect;
import io.whence.model.LogBounds;
import io.whence.model.RecordStamp;
import io.whence.model.WhenceException;

/** Plans and what became of them to protobuf. */
final class PlanAnswers {
  private PlanAnswers() {}

  /** Returns what a plan does to one partition. */
  static io.whence.v1.PlannedReset planned(PlannedReset reset) {
    io.whence.v1.PlannedReset.Builder answer =
        io.whence.v1.PlannedReset.newBuilder()
            .setTopic(reset.partition().topic())
            .setPartition(reset.partition().partition())
            .setOutcome(outcome(reset.outcome()))
            .setReason(reset.reason())
            .addAllWarnings(reset.warnings());
    reset.offsetBefore().ifPresent(answer::setOffsetBefore);
    addPlace(reset, answer);
    ResetEffect effect = reset.effect();
    if (effect != null) {
      answer
          .setRecordsSkipped(effect.recordsSkipped())
          .setRecordsReplayed(effect.recordsReplayed());
    }
    reset.timeDistanceMs().ifPresent(answer::setTimeDistanceMs);
    WhenceException error = reset.error();
    if (error != null) {
      answer.setError(GrpcErrors.partitionError(error));
    }
    return answer.build();
  }

  private static void addPlace(PlannedReset reset, io.whence.v1.PlannedReset.Builder answer) {
    LogBounds bounds = reset.bounds();
    if (bounds != null) {
      answer.setBounds(Protos.bounds(bounds));
    }
    PlannedOffset planned = reset.planned();
    if (planned != null) {
      answer.setPlannedOffset(planned.offset());
      RecordStamp record = planned.record();
      if (record != null) {
        answer.setRecord(Protos.record(record));
      }
    }
  }

  /** Returns what was done to one partition. */
  static io.whence.v1.AppliedReset applied(AppliedReset reset) {
    io.whence.v1.AppliedReset.Builder answer =
        io.whence.v1.AppliedReset.newBuilder()
            .setTopic(reset.partition().topic())
            .setPartition(reset.partition().partition())
            .setOffsetAfter(reset.after());
    reset.offsetBefore().ifPresent(answer::setOffsetBefore);
    return answer.build();
  }

  private static io.whence.v1.PlanOutcome outcome(PlanOutcome outcome) {
    return switch (outcome) {
      case MOVE -> io.whence.v1.PlanOutcome.PLAN_OUTCOME_MOVE;
      case UNCHANGED -> io.whence.v1.PlanOutcome.PLAN_OUTCOME_UNCHANGED;
      case FALLBACK -> io.whence.v1.PlanOutcome.PLAN_OUTCOME_FALLBACK;
      case SKIP -> io.whence.v1.PlanOutcome.PLAN_OUTCOME_SKIP;
      case FAILED -> io.whence.v1.PlanOutcome.PLAN_OUTCOME_FAILED;
    };
  }
}
