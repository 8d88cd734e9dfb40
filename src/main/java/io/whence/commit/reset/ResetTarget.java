package io.whence.commit.reset;

import io.whence.commit.Group;
import io.whence.model.TopicPartition;
import io.whence.source.LogSource;
import java.util.Map;

/** Where a reset leads. Thread safety: immutable. */
public sealed interface ResetTarget {
  /**
   * The first record at or after a time.
   *
   * @param targetTimestampMs the time in epoch milliseconds
   */
  record AtOrAfter(long targetTimestampMs) implements ResetTarget {}

  /** The log start. */
  record Earliest() implements ResetTarget {}

  /** The end of the isolation level. */
  record Latest() implements ResetTarget {}

  /** The record with the largest timestamp; the lowest offset on ties. */
  record MaxTimestamp() implements ResetTarget {}

  /**
   * The same offset in each partition.
   *
   * @param offset 0 or above
   */
  record Offset(long offset) implements ResetTarget {}

  /**
   * So many offsets after the committed one.
   *
   * @param distance how many; negative for before it
   */
  record ShiftBy(long distance) implements ResetTarget {}

  /** The offset that is committed. */
  record Current() implements ResetTarget {}

  /**
   * What another group has committed.
   *
   * @param group the group, as it was when the plan was asked for
   */
  record OfGroup(Group group) implements ResetTarget {}

  /**
   * Where a group of another source stands: the first record that is not older than anything that
   * the group has not read there.
   *
   * @param source the other source
   * @param group the group there, as it was when the plan was asked for
   */
  record OfSourceGroup(LogSource source, Group group) implements ResetTarget {}

  /**
   * An offset for each partition.
   *
   * @param offsets the offsets, 0 or above
   */
  record Offsets(Map<TopicPartition, Long> offsets) implements ResetTarget {
    /** Copies the offsets. */
    public Offsets {
      offsets = Map.copyOf(offsets);
    }
  }
}
