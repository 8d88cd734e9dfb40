package io.whence.ops;

import java.util.List;

/** The metrics of the logs that this server owns. Thread safety: immutable. */
enum LogMetric implements Metric {
  FLUSH("whence.log.flush", Kind.TIMER, "flushes of appended batches to the disk"),
  BATCHES(
      "whence.log.batches",
      Kind.COUNTER,
      "batches that were put on disk; divided by the flushes, how many shared one"),
  ROLLS("whence.log.rolls", Kind.COUNTER, "segments begun"),
  TRIMS("whence.log.trims", Kind.COUNTER, "log starts raised, by `trim` or `retention`", "reason"),
  RETENTION_BLOCKED(
      "whence.log.retention.blocked",
      Kind.COUNTER,
      "times that a record from the future kept a segment from being deleted"),
  WARNINGS(
      "whence.log.warnings",
      Kind.COUNTER,
      "repairs, damage that was found (once of each segment) and upkeep of logs that failed; each "
          + "has a WARN line in the log"),
  DAMAGES(
      "whence.log.damages",
      Kind.GAUGE,
      "places in logs of all sources that are known to be damaged now: found when a log was "
          + "opened, or segments in which a reader has found damage since; gone with what is "
          + "trimmed, deleted or fetched again");

  @SuppressWarnings("ImmutableEnumChecker") // A record of strings whose list never changes.
  private final Spec spec;

  LogMetric(String name, Kind kind, String meaning, String... labels) {
    spec = new Spec(name, kind, meaning, List.of(labels));
  }

  @Override
  public Spec spec() {
    return spec;
  }
}
