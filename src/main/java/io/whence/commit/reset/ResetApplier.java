package io.whence.commit.reset;

import io.whence.commit.ChangeCause;
import io.whence.commit.CommitEntry;
import io.whence.commit.CommitReply;
import io.whence.commit.CommitRequest;
import io.whence.commit.CommitResult;
import io.whence.commit.CommittedOffset;
import io.whence.commit.Expected;
import io.whence.commit.Group;
import io.whence.commit.GroupOffsets;
import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Does what plans say: all of one or nothing, once. Everything that the plan saw of the partitions
 * that it touches must still be so, at the moment of the one atomic commit that does it. Thread
 * safety: thread-safe.
 */
public final class ResetApplier {
  private static final int NO_EPOCH = -1;
  private static final long NO_WRITER_EPOCH = -1;

  private final ResetPlans plans;

  /** Makes an applier of the plans of a store. */
  public ResetApplier(ResetPlans plans) {
    this.plans = plans;
  }

  /**
   * Applies a plan; one that was applied gives its result again, whatever the decision. Doesn't
   * wait for the disk. Where a try ended without saying what became of it, the next one finds out:
   * if all stands where the plan leads to, it was applied.
   *
   * @param writer who resets, for the history
   * @param offsets those of the source of the plan
   * @param cancellation of the call
   * @return what was committed, by topic and partition; fails when nothing was, or when that can't
   *     be told
   * @throws WhenceException {@code UNKNOWN_PLAN}, {@code PLAN_INCOMPLETE} or {@code
   *     FALLBACK_NOT_ACCEPTED}; {@code PLAN_OUTDATED} comes with the stage
   */
  public CompletionStage<List<AppliedReset>> apply(
      String planId,
      FallbackDecision decision,
      String writer,
      GroupOffsets offsets,
      Cancellation cancellation) {
    KeptPlan kept = plans.kept(planId);
    Optional<CompletionStage<List<AppliedReset>>> earlier = kept.applied();
    if (earlier.isPresent()) {
      return earlier.get();
    }
    List<PlannedReset> touched = touched(kept.plan(), decision);
    return kept.applyOnce(
        () ->
            commit(kept, touched, writer, offsets, cancellation)
                .thenApply(
                    applied -> {
                      plans.keepLonger(planId);
                      return applied;
                    }));
  }

  /** Returns what is to be committed, or to be as it was. */
  private static List<PlannedReset> touched(ResetPlan plan, FallbackDecision decision) {
    List<PlannedReset> touched = new ArrayList<>(plan.partitions().size());
    List<PlannedReset> undecided = new ArrayList<>();
    for (PlannedReset planned : plan.partitions()) {
      switch (planned.outcome()) {
        case MOVE, UNCHANGED -> touched.add(planned);
        case FALLBACK -> (decision.accepts(planned.partition()) ? touched : undecided).add(planned);
        case SKIP -> {}
        case FAILED -> throw PlanRefusals.incomplete(plan, planned);
      }
    }
    if (!undecided.isEmpty() && decision.choice() == FallbackChoice.REFUSE) {
      throw PlanRefusals.notAccepted(plan, undecided);
    }
    return touched;
  }

  private static CompletionStage<List<AppliedReset>> commit(
      KeptPlan kept,
      List<PlannedReset> touched,
      String writer,
      GroupOffsets offsets,
      Cancellation cancellation) {
    if (touched.isEmpty()) {
      return CompletableFuture.completedFuture(List.of());
    }
    ResetPlan plan = kept.plan();
    boolean changesNothing = touched.stream().noneMatch(ResetApplier::isChange);
    CommitReply reply =
        offsets.commit(
            new CommitRequest(
                plan.group(),
                touched.stream().map(ResetApplier::entry).toList(),
                plan.id(),
                true,
                changesNothing,
                writer,
                ChangeCause.RESET),
            cancellation);
    // Not before: a refusal, too, may be for a commit that the disk has yet to take.
    return reply
        .durable()
        .thenApply(
            durable -> {
              requireCommitted(kept, touched, reply.results());
              return readBack(touched, now(plan.group(), offsets));
            });
  }

  /** Returns a group if it can be read; what was committed is committed, whether it can or not. */
  private static Optional<Group> now(String group, GroupOffsets offsets) {
    try {
      return offsets.group(group);
    } catch (RuntimeException e) {
      return Optional.empty();
    }
  }

  private static boolean isChange(PlannedReset planned) {
    return planned.outcome() != PlanOutcome.UNCHANGED;
  }

  /**
   * Makes the entry of a partition. One that stays as it is takes part, so that it is checked in
   * the same moment; nothing of it but the time of the commit changes.
   */
  private static CommitEntry entry(PlannedReset planned) {
    ResetStart start = planned.start();
    Optional<CommittedOffset> before = start.committed();
    boolean change = isChange(planned);
    PlannedOffset to = Objects.requireNonNull(planned.planned());
    return new CommitEntry(
        planned.partition(),
        to.offset(),
        change ? to.leaderEpoch() : before.map(CommittedOffset::epoch).orElse(NO_EPOCH),
        change ? "" : before.map(CommittedOffset::metadata).orElse(""),
        before.<Expected>map(Expected.Change::new).orElse(Expected.NOTHING),
        // That of the very change that is expected: no newer writer is overtaken.
        before.map(CommittedOffset::fence).orElse(NO_WRITER_EPOCH),
        start.topicId(),
        true,
        !change);
  }

  private static void requireCommitted(
      KeptPlan kept, List<PlannedReset> touched, List<CommitResult> results) {
    if (kept.isMaybeApplied() && isThere(touched, results)) {
      return;
    }
    for (int i = 0; i < touched.size(); i++) {
      CommitResult result = results.get(i);
      Optional<WhenceException> failure = result.failure();
      if (failure.isPresent()) {
        throw PlanRefusals.outdated(kept, touched.get(i), result, failure.get());
      }
    }
  }

  /** Returns whether a commit was refused only because all is already as it was to become. */
  private static boolean isThere(List<PlannedReset> touched, List<CommitResult> results) {
    for (int i = 0; i < touched.size(); i++) {
      CommitResult result = results.get(i);
      boolean moved = result.failure().stream().allMatch(f -> f.reason() == ErrorReason.CONFLICT);
      PlannedOffset to = Objects.requireNonNull(touched.get(i).planned());
      if (!moved || !result.offsetNow().equals(OptionalLong.of(to.offset()))) {
        return false;
      }
    }
    return true;
  }

  private static List<AppliedReset> readBack(List<PlannedReset> touched, Optional<Group> group) {
    List<AppliedReset> applied = new ArrayList<>(touched.size());
    for (PlannedReset planned : touched) {
      if (isChange(planned)) {
        long committed = Objects.requireNonNull(planned.planned()).offset();
        // Where somebody has removed it since, or it can't be read, there is nothing to read but
        // what was committed.
        long after =
            group
                .flatMap(found -> found.offset(planned.partition()))
                .map(CommittedOffset::nextOffset)
                .orElse(committed);
        applied.add(
            new AppliedReset(planned.partition(), planned.offsetBefore().orElse(-1), after));
      }
    }
    return List.copyOf(applied);
  }
}
