package io.whence.grpc;

import java.util.Set;

/**
 * A kind of work with workers of its own, so that no kind can keep the other from being done.
 * Thread safety: immutable.
 */
public enum CallLane {
  /** Questions: nothing is changed. */
  LOOKUPS,
  /** Changes, which may wait for a disk. */
  WRITES;

  private static final Set<String> WRITING_RPCS =
      Set.of(
          "CreateTopic",
          "DeleteTopic",
          "Append",
          "TrimLog",
          "CommitOffset",
          "DeleteOffset",
          "DeleteGroup",
          "ApplyReset");

  /** Returns the lane of a method, by its name. */
  static CallLane of(String rpc) {
    return WRITING_RPCS.contains(rpc) ? WRITES : LOOKUPS;
  }
}
