package io.whence.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.whence.model.Cancellation;
import io.whence.model.WhenceException;
import io.whence.record.RecordCursor;
import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CancellationException;

/**
 * Removes from a followed log what the log cleaner of its leader has removed there. The leader is
 * asked and files are written outside of the lock of the log. Thread safety: thread-safe; one pass
 * at a time.
 *
 * <p>Invariant: files are written in place of others only while nobody cuts the log: who does calls
 * {@link #interrupt} and then takes {@code rewriting}.
 */
final class FollowedCompactor {
  /** Held while files are written in place of others, or cut; taken before the lock of the log. */
  private final Object rewriting;

  private final Object lock;

  @GuardedBy("rewriting")
  private final GroupSwap files;

  private final LogConfig config;
  private final InstantSource clock;
  private final ReadyContents contents;
  private final Publisher publisher;

  /** How often somebody was about to cut the log. */
  private volatile int cuts;

  /** Has the contents of the log; is asked with its lock held. */
  @FunctionalInterface
  interface ReadyContents {
    /** Returns what the log holds, ready to be changed; another object when it was read again. */
    FollowedContents get() throws IOException;
  }

  /** Publishes the contents of the log; is asked with its lock held. */
  @FunctionalInterface
  interface Publisher {
    /** Returns what is published now. */
    LogSnapshot publish();
  }

  /**
   * Makes a compactor.
   *
   * @param rewriting see above
   * @param lock guards the contents
   */
  FollowedCompactor(
      Object rewriting,
      Object lock,
      GroupSwap files,
      LogConfig config,
      InstantSource clock,
      ReadyContents contents,
      Publisher publisher) {
    this.rewriting = rewriting;
    this.lock = lock;
    this.files = files;
    this.config = config;
    this.clock = clock;
    this.contents = contents;
    this.publisher = publisher;
  }

  /** Ends the pass that runs; it lets go of {@code rewriting} soon. */
  void interrupt() {
    synchronized (this) {
      cuts++;
    }
  }

  /** Says that all files of the log were deleted; {@code rewriting} is held already. */
  void filesDeleted() {
    synchronized (rewriting) {
      files.filesDeleted();
    }
  }

  /** One look at all segments. */
  private record Pass(FollowedContents contents, LeaderRecords leader, Cancellation cancellation) {}

  /** Removes what is gone; see {@link FollowedLog#keepOnly}. */
  OptionalLong keepOnly(LeaderRecords leader) throws IOException {
    Cancellation cancellation = unlessCut(cuts);
    try {
      Pass pass;
      List<LogSegment> sealed;
      LogSnapshot log;
      synchronized (lock) {
        pass = new Pass(contents.get(), leader, cancellation);
        sealed = pass.contents().sealAll();
        log = publisher.publish();
      }
      RecordKeeper keeper = (batch, record) -> keeps(log, leader, record);
      return OptionalLong.of(
          GroupSwap.compact(
              sealed,
              config,
              keeper,
              cancellation,
              segment -> areThere(pass, List.of(segment)),
              group -> rewrite(pass, group)));
    } catch (CancellationException e) {
      return OptionalLong.empty();
    }
  }

  /** What lies below the log start shows nobody, but tells which transactions began there. */
  private static boolean keeps(LogSnapshot log, LeaderRecords leader, RecordCursor record) {
    long offset = record.offset();
    return offset < log.firstOffset() || leader.has(offset, record.timestampMs());
  }

  private Cancellation unlessCut(int cutsBefore) {
    return () -> {
      if (cuts != cutsBefore) {
        throw new CancellationException("the log was cut");
      }
    };
  }

  /** Returns whether consecutive segments are still part of the log: its start may have risen. */
  private boolean areThere(Pass pass, List<LogSegment> segments) {
    synchronized (lock) {
      return pass.contents().contains(segments);
    }
  }

  private long rewrite(Pass pass, CompactionGroup group) throws IOException {
    if (!pass.leader().isOfSameLog()) {
      throw new CancellationException("another log is in its place");
    }
    CompactionGroup left = left(pass, group);
    while (left.isDue()) {
      if (isReplaced(pass, left)) {
        return left.droppedCount();
      }
      left = left(pass, left); // The start rose: less is left each time.
    }
    return 0;
  }

  /** Returns what of a group is still part of the log. */
  private CompactionGroup left(Pass pass, CompactionGroup group) {
    CompactionGroup left = new CompactionGroup(config);
    synchronized (lock) {
      for (SegmentSurvey survey : group.surveys()) {
        if (pass.contents().contains(List.of(survey.segment()))) {
          left.tryAdd(survey);
        }
      }
    }
    return left;
  }

  /** Replaces a group; returns whether it was still there to be replaced. */
  private boolean isReplaced(Pass pass, CompactionGroup group) throws IOException {
    synchronized (rewriting) {
      pass.cancellation().check();
      files.requireFinished();
      LogSnapshot log;
      synchronized (lock) {
        log = requireSame(pass);
      }
      CleanedSegment cleaned;
      try {
        cleaned = files.write(group, pass.cancellation());
      } catch (IOException | WhenceException e) {
        if (areThere(pass, group.segments())) {
          throw e;
        }
        return false; // A file of the group was closed meanwhile.
      }
      return swap(pass, group, replacement(pass, log, cleaned));
    }
  }

  /** What takes the place of a group, and what readers of committed records see of it. */
  private record Replacement(
      CleanedSegment cleaned, LogSegment segment, Optional<SegmentView> seen) {}

  private Replacement replacement(Pass pass, LogSnapshot log, CleanedSegment cleaned) {
    try {
      LogSegment segment = cleaned.asSegment(clock.millis());
      return new Replacement(
          cleaned, segment, FollowedCommitted.seenOf(log, segment.view(), pass.cancellation()));
    } catch (RuntimeException e) {
      cleaned.discard(e);
      throw e;
    }
  }

  @GuardedBy("lock")
  private LogSnapshot requireSame(Pass pass) throws IOException {
    if (contents.get() != pass.contents()) {
      throw new CancellationException("the log was read again");
    }
    return publisher.publish();
  }

  /** Returns whether the group was still there to be replaced. */
  @GuardedBy("rewriting")
  private boolean swap(Pass pass, CompactionGroup group, Replacement replacement)
      throws IOException {
    CleanedSegment cleaned = replacement.cleaned();
    LogSegment segment = replacement.segment();
    synchronized (lock) {
      if (!pass.contents().contains(group.segments())) {
        cleaned.discard(); // The log start was raised above it.
        return false;
      }
      files.commit(cleaned);
      pass.contents().replace(group.segments(), segment, replacement.seen());
      publisher.publish();
      if (files.finish(group.segments(), cleaned, segment)) {
        pass.contents().settled(segment);
        publisher.publish();
      }
      return true;
    }
  }
}
