package io.whence.commit.reset;

import io.whence.model.LogBounds;
import io.whence.model.RecordStamp;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * What a plan does to one partition. Offset, effect and bounds are from one snapshot of the log,
 * which is not older than what was found committed. Thread safety: immutable.
 *
 * @param start what was found committed
 * @param outcome what the plan does
 * @param bounds the bounds of the log; null when it could not be read
 * @param planned where to; null when {@code SKIP} or {@code FAILED}
 * @param effect what that changes; null when nothing is planned or nothing was committed
 * @param reason why, for people
 * @param warnings what to look at before a yes, for people
 * @param error why it could not be planned; null unless {@code FAILED}
 */
public record PlannedReset(
    ResetStart start,
    PlanOutcome outcome,
    @Nullable LogBounds bounds,
    @Nullable PlannedOffset planned,
    @Nullable ResetEffect effect,
    String reason,
    List<String> warnings,
    @Nullable WhenceException error) {

  /** Rejects an offset without a plan, a plan without an offset, and a failure without an error. */
  public PlannedReset {
    boolean leadsNowhere = outcome == PlanOutcome.SKIP || outcome == PlanOutcome.FAILED;
    if (leadsNowhere != (planned == null) || (outcome == PlanOutcome.FAILED) != (error != null)) {
      throw new IllegalArgumentException(
          outcome + " with planned offset " + planned + " and error " + error);
    }
    warnings = List.copyOf(warnings);
  }

  /** Makes a partition to which nothing is done. */
  static PlannedReset skip(
      ResetStart start, @Nullable LogBounds bounds, String reason, List<String> warnings) {
    return new PlannedReset(start, PlanOutcome.SKIP, bounds, null, null, reason, warnings, null);
  }

  /** Makes a partition that could not be planned. */
  static PlannedReset failed(ResetStart start, WhenceException error) {
    return new PlannedReset(
        start, PlanOutcome.FAILED, null, null, null, error.getMessage(), List.of(), error);
  }

  /** Returns the partition. */
  public TopicPartition partition() {
    return start.partition();
  }

  /** Returns what was committed; nothing also for the offset of an earlier topic of this name. */
  public OptionalLong offsetBefore() {
    return start.committed().stream().mapToLong(found -> found.nextOffset()).findFirst();
  }

  /**
   * Returns the time from the next unread record to the one at the planned offset, in milliseconds;
   * nothing where one of them is not there or has no timestamp.
   */
  public OptionalLong timeDistanceMs() {
    RecordStamp from = effect == null ? null : effect.nextUnread();
    RecordStamp to = planned == null ? null : planned.record();
    return from != null && to != null && from.hasTimestamp() && to.hasTimestamp()
        ? OptionalLong.of(to.timestampMs() - from.timestampMs())
        : OptionalLong.empty();
  }
}
