package io.whence.log;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Which timelines are to be in memory: those that can't be elsewhere, and of the others the newest
 * ones, by their largest timestamp, up to the first that doesn't fit. Thread safety: immutable.
 *
 * @param fixedBytes how much memory those take that can't be elsewhere: of active and of damaged
 *     segments, and of what readers of committed records see of archives
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

    /** Returns how new it is: a timestamp after the clock says nothing of that. */
    long newestMs(long nowMs) {
      return Math.min(view.index().timestamps().maxMs(), nowMs);
    }

    /** Returns whether somebody asked for it, or it is there. */
    boolean isAsked() {
      return isLoaded() || view.slot().isWanted();
    }
  }

  /**
   * Makes a plan for all logs of all sources.
   *
   * @param reservedBytes how much memory is taken by what is in no segment of a log
   * @param nowMs the clock, in epoch milliseconds
   */
  static PreloadPlan of(
      List<PreloadSource> sources, PreloadOptions options, long reservedBytes, long nowMs) {
    Gathered gathered = new Gathered();
    gathered.fixedBytes = reservedBytes;
    for (PreloadSource source : sources) {
      source.preloadedLogs().forEach(log -> gathered.add(source.name(), log));
    }
    gathered.candidates.sort(
        Comparator.comparingLong((Candidate candidate) -> candidate.newestMs(nowMs)).reversed());
    return cut(gathered, options);
  }

  /** What there is. Thread safety: single-writer. */
  private static final class Gathered {
    private final List<Candidate> candidates = new ArrayList<>();
    private long fixedBytes;
    private int fixedCount;

    void add(String source, PreloadSource.Log log) {
      int count = log.snapshot().segmentCount();
      for (int i = 0; i < count; i++) {
        SegmentView view = log.snapshot().segment(i);
        boolean hidden = view.index().nextOffset() <= log.snapshot().logStartOffset();
        if (hidden && i + 1 < count) {
          view.slot().drop(); // Nobody can ask for it, so it doesn't count.
        } else if (view.index().blocks() instanceof StoredBlocks stored) {
          candidates.add(new Candidate(source, log, view, stored.files()));
        } else {
          fixedBytes += view.slot().sizeInBytes();
          fixedCount++;
        }
      }
    }
  }

  private static PreloadPlan cut(Gathered gathered, PreloadOptions options) {
    long all = options.memoryBytes() - gathered.fixedBytes;
    long room = all;
    List<Candidate> wanted = new ArrayList<>();
    List<Candidate> unwanted = new ArrayList<>();
    boolean full = false;
    for (Candidate candidate : gathered.candidates) {
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
    return new PreloadPlan(gathered.fixedBytes, gathered.fixedCount, wanted, unwanted);
  }

  /**
   * Returns those of which a start waits until they are loaded.
   *
   * @param nowMs the clock, in epoch milliseconds
   */
  List<Candidate> awaited(PreloadOptions options, long nowMs) {
    if (options.mode() == PreloadOptions.Mode.LAZY || wanted.isEmpty()) {
      return List.of();
    }
    long newestMs = Math.max(wanted.get(0).newestMs(nowMs), 0);
    long fromMs =
        options.mode() == PreloadOptions.Mode.ALL ? Long.MIN_VALUE : newestMs - options.recentMs();
    return wanted.stream()
        .filter(candidate -> candidate.newestMs(nowMs) >= fromMs)
        // Reading a log of many GiB again is not worth waiting for.
        .filter(candidate -> candidate.isLoaded() || candidate.files().hasTimelineFile())
        .toList();
  }
}
