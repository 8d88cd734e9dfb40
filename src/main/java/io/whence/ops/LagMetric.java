package io.whence.ops;

import java.util.List;

/** The metrics of the lags of groups of a cluster. Thread safety: immutable. */
enum LagMetric implements Metric {
  MESSAGES(
      "whence.group.lag.messages",
      Kind.GAUGE,
      "records that a group of a cluster has left to read, in all partitions that it has "
          + "committed an offset of and whose lag is known",
      "source",
      "group",
      "topic"),
  SECONDS(
      "whence.group.lag.seconds",
      Kind.GAUGE,
      "for how long the next of them has been waiting, in the partition where it has "
          + "waited longest; 0 when none is left; not there where no such record has a "
          + "timestamp",
      "source",
      "group",
      "topic"),
  FOLDED(
      "whence.group.lag.folded",
      Kind.GAUGE,
      "pairs of a group and a topic that are not shown by name, but summed up under " + "`_other`",
      "source"),
  UNKNOWN_PARTITIONS(
      "whence.group.lag.unknown.partitions",
      Kind.GAUGE,
      "partitions with a committed offset whose lag could not be told at the last look",
      "source"),
  FAILED_GROUPS(
      "whence.group.lag.failed.groups",
      Kind.GAUGE,
      "groups, or brokers that know some, that could not be read at the last look",
      "source"),
  LOOK("whence.group.lag.look", Kind.TIMER, "looks at the lags of all groups", "source"),
  FAILED_LOOKS(
      "whence.group.lag.failed.looks",
      Kind.COUNTER,
      "looks that told nothing; each change of the reason has a WARN line in the log",
      "source");

  @SuppressWarnings("ImmutableEnumChecker") // A record of strings whose list never changes.
  private final Spec spec;

  LagMetric(String name, Kind kind, String meaning, String... labels) {
    spec = new Spec(name, kind, meaning, List.of(labels));
  }

  @Override
  public Spec spec() {
    return spec;
  }
}
