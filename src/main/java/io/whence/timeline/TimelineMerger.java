package io.whence.timeline;

import io.whence.timeline.Timeline.Columns;
import io.whence.timeline.Timeline.Figures;
import java.util.List;

/** Makes one timeline of several that follow each other. Thread safety: single-writer. */
final class TimelineMerger {
  private final List<Timeline> parts;

  TimelineMerger(List<Timeline> parts) {
    this.parts = parts.stream().filter(part -> !part.isEmpty()).toList();
  }

  Timeline merge() {
    if (parts.isEmpty()) {
      return Timeline.EMPTY;
    }
    boolean ordered = isOrdered();
    return new Timeline(
        figures(ordered),
        ordered ? runs() : ascending(),
        ordered ? null : descending(),
        parts.stream().map(Timeline::marks).reduce(RecordMarks.NONE, RecordMarks::plus));
  }

  private boolean isOrdered() {
    long lastMs = 0;
    for (Timeline part : parts) {
      if (!part.figures().ordered() || part.minMs() < lastMs) {
        return false;
      }
      lastMs = part.maxMs();
    }
    return true;
  }

  private Figures figures(boolean ordered) {
    Figures first = parts.get(0).figures();
    return new Figures(
        first.firstOffset(),
        first.firstMs(),
        parts.get(parts.size() - 1).figures().lastOffset(),
        ordered);
  }

  private Steps runs() {
    RunsWriter runs = new RunsWriter();
    for (Timeline part : parts) {
      for (int row = 0; row < part.ascendingCount(); row++) {
        runs.add(part.ascendingMs(row), part.ascendingOffset(row), part.descendingOffset(row));
      }
    }
    return runs.toSteps();
  }

  /** Of each part, what is later than all parts before. */
  private Steps ascending() {
    StepsWriter steps = new StepsWriter(Columns.ASCENDING);
    long maxMs = -1;
    for (Timeline part : parts) {
      int from = maxMs == Long.MAX_VALUE ? part.ascendingCount() : part.firstAtOrAfter(maxMs + 1);
      for (int row = from; row < part.ascendingCount(); row++) {
        steps.add(part.ascendingMs(row), part.ascendingOffset(row));
      }
      maxMs = Math.max(maxMs, part.maxMs());
    }
    return steps.toSteps();
  }

  /** Of each part, what is earlier than all parts behind. */
  private Steps descending() {
    int[] ends = new int[parts.size()];
    long minMs = Long.MAX_VALUE;
    boolean timedBehind = false;
    for (int i = parts.size() - 1; i >= 0; i--) {
      Timeline part = parts.get(i);
      ends[i] = timedBehind ? part.lastAtOrBefore(minMs - 1) + 1 : part.descendingCount();
      minMs = Math.min(minMs, part.minMs());
      timedBehind |= part.descendingCount() > 0;
    }
    StepsWriter steps = new StepsWriter(Columns.DESCENDING);
    for (int i = 0; i < parts.size(); i++) {
      for (int row = 0; row < ends[i]; row++) {
        addDescending(steps, i, row);
      }
    }
    return steps.toSteps();
  }

  private void addDescending(StepsWriter steps, int i, int row) {
    Timeline part = parts.get(i);
    long ms = part.descendingMs(row);
    long offset = part.descendingOffset(row);
    if (part.hasNext(row)) {
      steps.add(ms, offset, part.nextOffset(row) - offset - 1, part.nextMs(row) - ms);
    } else if (i + 1 < parts.size()) {
      Figures next = parts.get(i + 1).figures();
      steps.add(ms, offset, next.firstOffset() - offset - 1, next.firstMs() - ms);
    } else {
      steps.add(ms, offset, 0, 0);
    }
  }
}
