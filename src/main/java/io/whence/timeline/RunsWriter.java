package io.whence.timeline;

import io.whence.timeline.Timeline.Columns;

/** Packs the runs of ordered records; joins those of one time. Thread safety: single-writer. */
final class RunsWriter {
  private final StepsWriter steps = new StepsWriter(Columns.RUNS);
  private long runMs = -1;
  private long firstOffset;
  private long lastOffset;

  /** Adds records of one time, not before the last ones. */
  void add(long timestampMs, long first, long last) {
    if (timestampMs != runMs) {
      if (runMs >= 0) {
        steps.add(runMs, firstOffset, first - 1 - lastOffset);
      }
      runMs = timestampMs;
      firstOffset = first;
    }
    lastOffset = last;
  }

  Steps toSteps() {
    if (runMs >= 0) {
      steps.add(runMs, firstOffset, 0);
    }
    return steps.toSteps();
  }
}
