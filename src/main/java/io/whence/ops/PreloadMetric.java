package io.whence.ops;

import java.util.List;

/** The metrics of the time indexes that are in memory. Thread safety: immutable. */
enum PreloadMetric implements Metric {
  SEGMENTS_LOADED(
      "whence.preload.segments.loaded",
      Kind.GAUGE,
      "segments whose time index is in memory, active ones included; this and the next "
          + "four as of the last look, every second"),
  SEGMENTS_UNLOADED(
      "whence.preload.segments.unloaded",
      Kind.GAUGE,
      "segments whose time index is not: lookups in them read the log"),
  BYTES("whence.preload.bytes", Kind.GAUGE, "memory that time indexes take"),
  BUDGET_BYTES(
      "whence.preload.budget.bytes",
      Kind.GAUGE,
      "memory that they may take, `whence.preload.memory`"),
  READY(
      "whence.preload.ready",
      Kind.GAUGE,
      "1 once a start has loaded what it waits for, or what of it there is room for"),
  LOADS(
      "whence.preload.loads",
      Kind.COUNTER,
      "time indexes that were loaded after their segment was opened"),
  DROPS("whence.preload.drops", Kind.COUNTER, "time indexes that had to make room for newer ones"),
  FAILURES(
      "whence.preload.failures",
      Kind.COUNTER,
      "time indexes that could not be loaded; each has a WARN line in the log"),
  REBUILDS(
      "whence.preload.rebuilds",
      Kind.COUNTER,
      "segments whose index files were missing or not as written, and were made again "
          + "from the log; each has a WARN line");

  @SuppressWarnings("ImmutableEnumChecker") // A record of strings whose list never changes.
  private final Spec spec;

  PreloadMetric(String name, Kind kind, String meaning, String... labels) {
    spec = new Spec(name, kind, meaning, List.of(labels));
  }

  @Override
  public Spec spec() {
    return spec;
  }
}
