package io.whence.commit;

import java.util.OptionalLong;

/**
 * What is known of the members of a group. Thread safety: immutable.
 *
 * @param kind how the group is run
 * @param memberCount how many members it had when its metadata was last written; negative when not
 *     known
 * @param sinceMs since when it has been in this state, in epoch milliseconds; negative when not
 *     known
 */
public record GroupState(GroupKind kind, int memberCount, long sinceMs) {
  /** A group of which only offsets are kept. */
  public static final GroupState SIMPLE = new GroupState(GroupKind.SIMPLE, 0, -1);

  /** A group whose metadata could not be read. */
  static final GroupState UNREADABLE = new GroupState(GroupKind.CLASSIC, -1, -1);

  /** Returns since when the group has been in this state, in epoch milliseconds. */
  public OptionalLong since() {
    return sinceMs < 0 ? OptionalLong.empty() : OptionalLong.of(sinceMs);
  }
}
