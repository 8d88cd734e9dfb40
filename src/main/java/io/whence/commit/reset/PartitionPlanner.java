package io.whence.commit.reset;

import io.whence.commit.CommittedOffset;
import io.whence.log.LogSnapshot;
import io.whence.model.ErrorReason;
import io.whence.model.LogBounds;
import io.whence.model.RecordStamp;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.source.LogSource;
import io.whence.source.TopicInfo;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Plans the partitions of one reset. The id of a topic is read before its logs are: where the topic
 * is made anew in between, the plan has the old id and can't be applied. Thread safety:
 * single-writer.
 */
final class PartitionPlanner {
  private final ResetRequest request;
  private final LogSource source;
  private final PartitionSnapshots snapshots;
  private final Map<TopicPartition, WhenceException> behind;
  private final TargetFinder targets;
  private final EffectCounter effects;
  private final long nowMs;
  private final Map<String, TopicInfo> topics = new HashMap<>();

  /**
   * Makes a planner.
   *
   * @param snapshots gives the logs of the source
   * @param behind logs that may lack records, and why
   * @param nowMs the clock, in epoch milliseconds
   */
  PartitionPlanner(
      ResetRequest request,
      LogSource source,
      PartitionSnapshots snapshots,
      Map<TopicPartition, WhenceException> behind,
      TargetFinder targets,
      EffectCounter effects,
      long nowMs) {
    this.request = request;
    this.source = source;
    this.snapshots = snapshots;
    this.behind = behind;
    this.targets = targets;
    this.effects = effects;
    this.nowMs = nowMs;
  }

  PlannedReset plan(TopicPartition partition, PartitionFaults faults) {
    CommittedOffset stored = request.group().offset(partition).orElse(null);
    ResetStart start = new ResetStart(partition, null, stored);
    try {
      TopicInfo topic = topics.computeIfAbsent(partition.topic(), source::topic);
      start = new ResetStart(partition, topic.id(), stored);
      WhenceException failure = behind.get(partition);
      return failure == null ? planned(start, snapshots.of(partition)) : notPlanned(start, failure);
    } catch (WhenceException e) {
      return notPlanned(start, e);
    } catch (RuntimeException e) {
      return PlannedReset.failed(start, faults.told(partition, e));
    }
  }

  private PlannedReset notPlanned(ResetStart start, WhenceException failure) {
    return switch (failure.reason()) {
      case DEADLINE_EXCEEDED -> throw failure;
      case UNKNOWN_TOPIC, UNKNOWN_PARTITION ->
          request.named()
              ? PlannedReset.failed(start, failure)
              : PlannedReset.skip(start, null, missing(failure.reason()), List.of());
      default -> PlannedReset.failed(start, failure);
    };
  }

  private String missing(ErrorReason reason) {
    if (request.target() instanceof ResetTarget.OfSourceGroup) {
      return reason == ErrorReason.UNKNOWN_TOPIC
          ? "source '" + source.name() + "' has no such topic"
          : "the topic has no such partition";
    }
    return gone(reason);
  }

  private static String gone(ErrorReason reason) {
    return reason == ErrorReason.UNKNOWN_TOPIC
        ? "the topic is gone"
        : "the topic has no such partition any more";
  }

  private PlannedReset planned(ResetStart start, LogSnapshot log) {
    LogBounds bounds = effects.bounds(log);
    Aim aim = targets.find(start, log);
    List<String> warnings = new ArrayList<>(aim.warnings());
    startWarning(start, bounds).ifPresent(warnings::add);
    if (aim.kind() == Aim.Kind.NOWHERE) {
      return PlannedReset.skip(start, bounds, aim.reason(), warnings);
    }
    RecordStamp record = effects.recordAt(log, aim.offset());
    futureWarning(record).ifPresent(warnings::add);
    return new PlannedReset(
        start,
        outcome(aim, start),
        bounds,
        new PlannedOffset(aim.offset(), record),
        start
            .committed()
            .map(committed -> effects.effect(log, committed.nextOffset(), aim.offset()))
            .orElse(null),
        aim.reason(),
        warnings,
        null);
  }

  private static PlanOutcome outcome(Aim aim, ResetStart start) {
    // First: staying needs no yes, whatever led there.
    if (start.committed().filter(found -> found.nextOffset() == aim.offset()).isPresent()) {
      return PlanOutcome.UNCHANGED;
    }
    return aim.kind() == Aim.Kind.NEAREST ? PlanOutcome.FALLBACK : PlanOutcome.MOVE;
  }

  private static Optional<String> startWarning(ResetStart start, LogBounds bounds) {
    CommittedOffset stored = start.stored();
    if (stored == null) {
      return Optional.empty();
    }
    String offset = "the committed offset " + stored.nextOffset();
    if (start.isStale()) {
      return Optional.of(offset + " is of an earlier topic of this name and counts as none");
    }
    if (stored.nextOffset() < bounds.logStartOffset()) {
      return Optional.of(
          offset
              + " lies below the log start, "
              + bounds.logStartOffset()
              + ": what lay between is gone and is not counted");
    }
    return stored.nextOffset() > bounds.endOffset()
        ? Optional.of(offset + " lies above the end, " + bounds.endOffset())
        : Optional.empty();
  }

  private Optional<String> futureWarning(@Nullable RecordStamp record) {
    return record == null || record.timestampMs() <= nowMs
        ? Optional.empty()
        : Optional.of(
            "the record at "
                + record.offset()
                + " has a timestamp from the future, "
                + Instant.ofEpochMilli(record.timestampMs()));
  }
}
