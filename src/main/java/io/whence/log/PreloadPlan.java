package io.whence.log;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Which timelines are to be in memory: those that can't be elsewhere, and of the others the newest
 * ones, by their largest timestamp, up to the first that doesn't fit. Thread safety: immutable.
 *
 * @param fixedBytes how much memory those take that can't be elsewhere: of active and of damaged
 *     segments
 * @param fixedCount how many these are
 * @param wanted the others that are to be in memory, newest first
 * @param unwanted those that are not to be, newest first
 */
record PreloadPlan(
    long fixedBytes, int fixedCount, List<Candidate> wanted, List<Candidate> unwanted) {

  /**
   * A segment whose timeline is in a file, or can be.
   *
   * @param source the name of its source
   * @param log its log
   * @param view the segment
   * @param files where its timeline is
   */
  record Candidate(String source, PreloadSource.Log log, SegmentView view, IndexFiles files) {
    boolean isLoaded() {
      return view.timeline().isPresent();
    }

    /** Returns how much memory the timeline takes or would take. */
    long bytes() {
      return view.timelineBytes();
    }

    long maxMs() {
      return view.index().timestamps().maxMs();
    }

    /** Returns whether somebody asked for it, or it is there. */
    boolean isAsked() {
      return isLoaded() || view.slot().isWanted();
    }
  }

  /** Makes a plan for all logs of all sources. */
  static PreloadPlan of(List<PreloadSource> sources, PreloadOptions options) {
    List<Candidate> candidates = new ArrayList<>();
    long fixedBytes = 0;
    int fixedCount = 0;
    for (PreloadSource source : sources) {
      for (PreloadSource.Log log : source.preloadedLogs()) {
        for (int i = 0; i < log.snapshot().segmentCount(); i++) {
          SegmentView view = log.snapshot().segment(i);
          if (view.index().blocks() instanceof StoredBlocks stored) {
            candidates.add(new Candidate(source.name(), log, view, stored.files()));
          } else {
            fixedBytes += view.slot().sizeInBytes();
            fixedCount++;
          }
        }
      }
    }
    candidates.sort(Comparator.comparingLong(Candidate::maxMs).reversed());
    return cut(candidates, fixedBytes, fixedCount, options);
  }

  private static PreloadPlan cut(
      List<Candidate> candidates, long fixedBytes, int fixedCount, PreloadOptions options) {
    long all = options.memoryBytes() - fixedBytes;
    long room = all;
    List<Candidate> wanted = new ArrayList<>();
    List<Candidate> unwanted = new ArrayList<>();
    boolean full = false;
    for (Candidate candidate : candidates) {
      boolean asked = options.mode() != PreloadOptions.Mode.LAZY || candidate.isAsked();
      if (!asked || full || candidate.files().isTimelineUnreadable()) {
        unwanted.add(candidate);
      } else if (candidate.bytes() > room) {
        full = candidate.bytes() <= all; // One that never fits must not keep all others out.
        unwanted.add(candidate);
      } else {
        room -= candidate.bytes();
        wanted.add(candidate);
      }
    }
    return new PreloadPlan(fixedBytes, fixedCount, wanted, unwanted);
  }

  /** Returns those of which a start waits until they are loaded. */
  List<Candidate> awaited(PreloadOptions options) {
    if (options.mode() == PreloadOptions.Mode.LAZY || wanted.isEmpty()) {
      return List.of();
    }
    long newestMs = Math.max(wanted.get(0).maxMs(), 0);
    long fromMs =
        options.mode() == PreloadOptions.Mode.ALL ? Long.MIN_VALUE : newestMs - options.recentMs();
    return wanted.stream()
        .filter(candidate -> candidate.maxMs() >= fromMs)
        // Reading a log of many GiB again is not worth waiting for.
        .filter(candidate -> candidate.isLoaded() || candidate.files().hasTimelineFile())
        .toList();
  }
}
