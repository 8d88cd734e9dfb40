package io.whence.ops;

import java.util.List;

/**
 * The metrics of the offsets of groups that the embedded source keeps. Thread safety: immutable.
 */
enum GroupMetric implements Metric {
  GROUPS(
      "whence.groups",
      Kind.GAUGE,
      "groups that have offsets in the embedded source; this and the next three as "
          + "counted every `whence.groups.compaction-interval`"),
  OFFSETS("whence.groups.offsets", Kind.GAUGE, "committed offsets there"),
  EXPIRING_OFFSETS(
      "whence.groups.expiring.offsets",
      Kind.GAUGE,
      "those that expire within a day unless they are committed again"),
  REQUESTS(
      "whence.groups.requests",
      Kind.GAUGE,
      "requests that are remembered by their id; at most `whence.groups.max-requests`"),
  EXPIRED_OFFSETS(
      "whence.groups.expired.offsets",
      Kind.COUNTER,
      "committed offsets that were removed because nobody committed them again in time"),
  COMPACTED_RECORDS(
      "whence.groups.compacted.records",
      Kind.COUNTER,
      "commits that newer ones replaced, removed from disk"),
  WARNINGS(
      "whence.groups.warnings",
      Kind.COUNTER,
      "offsets that could not be read at the start, and upkeep that failed; each has a "
          + "WARN line in the log");

  @SuppressWarnings("ImmutableEnumChecker") // A record of strings whose list never changes.
  private final Spec spec;

  GroupMetric(String name, Kind kind, String meaning, String... labels) {
    spec = new Spec(name, kind, meaning, List.of(labels));
  }

  @Override
  public Spec spec() {
    return spec;
  }
}
