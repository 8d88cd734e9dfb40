package io.whence.grpc;

import io.whence.commit.Group;
import io.whence.commit.reset.ResetTarget;
import io.whence.model.TopicPartition;
import io.whence.v1.PartitionOffset;
import io.whence.v1.ResetToOffsets;
import io.whence.v1.ResetToSourceGroup;
import java.util.HashMap;
import java.util.Map;

/** Targets of resets from protobuf, checked. */
final class ResetTargets {
  private static final FieldPath TARGET = FieldPath.of("target");

  private ResetTargets() {}

  /**
   * Returns the target of a request.
   *
   * @param groups looks up what a target names; not asked for anything else
   */
  static ResetTarget of(io.whence.v1.ResetTarget target, TimePoints times, Groups groups) {
    return switch (target.getKindCase()) {
      case AT_OR_AFTER ->
          new ResetTarget.AtOrAfter(
              times.epochMs(target.getAtOrAfter(), Rounding.UP, TARGET.child("at_or_after")));
      case EARLIEST -> new ResetTarget.Earliest();
      case LATEST -> new ResetTarget.Latest();
      case MAX_TIMESTAMP -> new ResetTarget.MaxTimestamp();
      case OFFSET -> offset(target.getOffset());
      case SHIFT_BY -> shift(target.getShiftBy());
      case CURRENT -> new ResetTarget.Current();
      case GROUP -> {
        GroupChecks.requireGroup(target.getGroup(), TARGET.child("group"));
        yield new ResetTarget.OfGroup(groups.group(target.getGroup()));
      }
      case SOURCE_GROUP -> sourceGroup(target.getSourceGroup(), groups);
      case OFFSETS -> offsets(target.getOffsets());
      case KIND_NOT_SET ->
          throw BadRequests.missing(
              TARGET,
              "give one of at_or_after, earliest, latest, max_timestamp, offset, shift_by, current,"
                  + " group, offsets and source_group");
    };
  }

  /** Looks up groups that targets name. */
  interface Groups {
    /** Returns another group of the same source. */
    Group group(String name);

    /**
     * Returns a group of another source.
     *
     * @param group its name; empty for that of the group to reset
     */
    ResetTarget.OfSourceGroup ofSource(String source, String group);
  }

  private static ResetTarget sourceGroup(ResetToSourceGroup target, Groups groups) {
    FieldPath field = TARGET.child("source_group");
    if (target.getSource().isEmpty()) {
      throw BadRequests.missing(field.child("source"), "name the other source");
    }
    if (!target.getGroup().isEmpty()) {
      GroupChecks.requireGroup(target.getGroup(), field.child("group"));
    }
    return groups.ofSource(target.getSource(), target.getGroup());
  }

  private static ResetTarget offset(long offset) {
    QueryChecks.requireOffset(offset, TARGET.child("offset"));
    return new ResetTarget.Offset(offset);
  }

  private static ResetTarget shift(long distance) {
    if (distance == 0) {
      throw BadRequests.invalid(
          TARGET.child("shift_by"), distance, "0 leads nowhere; use current to see what is there");
    }
    return new ResetTarget.ShiftBy(distance);
  }

  private static ResetTarget offsets(ResetToOffsets target) {
    FieldPath field = TARGET.child("offsets");
    if (target.getOffsetsCount() == 0) {
      throw BadRequests.missing(field.child("offsets"), "give at least one");
    }
    Map<TopicPartition, Long> offsets = new HashMap<>();
    for (int i = 0; i < target.getOffsetsCount(); i++) {
      PartitionOffset given = target.getOffsets(i);
      FieldPath own = field.child("offsets", i);
      QueryChecks.requireTopic(given.getTopic(), own);
      QueryChecks.requirePartition(given.getPartition(), own.child("partition"));
      QueryChecks.requireOffset(given.getOffset(), own.child("offset"));
      TopicPartition partition = new TopicPartition(given.getTopic(), given.getPartition());
      if (offsets.put(partition, given.getOffset()) != null) {
        throw ResetPartitions.twice(own, partition);
      }
    }
    return new ResetTarget.Offsets(offsets);
  }
}
