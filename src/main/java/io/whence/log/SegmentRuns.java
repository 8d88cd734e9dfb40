package io.whence.log;

import java.util.List;

/** Consecutive segments of a log. */
final class SegmentRuns {
  private SegmentRuns() {}

  /**
   * Returns whether consecutive segments are all part of a log, and not appended to.
   *
   * @param log all segments, of which the last one is appended to
   * @param run one or more
   */
  static boolean isSealedIn(List<LogSegment> log, List<LogSegment> run) {
    int at = log.indexOf(run.get(0));
    return at >= 0 && at + run.size() < log.size() && log.subList(at, at + run.size()).equals(run);
  }

  /**
   * Puts a segment in the place of consecutive ones that it holds the rest of.
   *
   * @param log all segments, which hold these; changed
   */
  static void replace(List<LogSegment> log, List<LogSegment> run, LogSegment by) {
    int at = log.indexOf(run.get(0));
    log.subList(at, at + run.size()).clear();
    by.settle();
    log.add(at, by);
  }
}
