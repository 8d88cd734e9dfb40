package io.whence.log;

import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Makes the segments that replace groups of others in the directory of a log. Thread safety:
 * single-writer; one compaction at a time.
 *
 * <p>Invariant: a record that is kept is in the directory at every moment, also after a crash (I8).
 */
final class GroupSwap {
  private final Path directory;
  private final TopicPartition partition;
  private final LogConfig config;
  private final LogEnvironment environment;

  /** Files lie there that only the next start puts right; more of them might contradict these. */
  private boolean unfinished;

  /** Replaces a group by what is kept of it. */
  @FunctionalInterface
  interface Rewriter {
    /** Returns how many records are gone. */
    long rewrite(CompactionGroup group) throws IOException;
  }

  GroupSwap(
      Path directory, TopicPartition partition, LogConfig config, LogEnvironment environment) {
    this.directory = directory;
    this.partition = partition;
    this.config = config;
    this.environment = environment;
  }

  /**
   * Asks about the records of segments and lets those be replaced of which something is to go, or
   * that fit into one. Those that are taken off the front of the log meanwhile are left out.
   *
   * @param sealed consecutive segments, the oldest first
   * @param config says how large the replacements may be
   * @param isThere whether a segment is still part of the log
   * @return how many records are gone
   */
  static long compact(
      List<LogSegment> sealed,
      LogConfig config,
      RecordKeeper keeper,
      Cancellation cancellation,
      Predicate<LogSegment> isThere,
      Rewriter rewriter)
      throws IOException {
    long removed = 0;
    CompactionGroup group = new CompactionGroup(config);
    for (LogSegment segment : sealed) {
      Optional<SegmentSurvey> survey = survey(segment, keeper, cancellation, isThere);
      if (survey.isEmpty()) {
        group = new CompactionGroup(config); // What came before it is gone, too.
      } else if (!group.tryAdd(survey.get())) {
        removed += rewrite(group, rewriter);
        group = new CompactionGroup(config);
        group.tryAdd(survey.get());
      }
    }
    return removed + rewrite(group, rewriter);
  }

  /** Asks about the records of a segment; empty if it is no longer part of the log. */
  private static Optional<SegmentSurvey> survey(
      LogSegment segment,
      RecordKeeper keeper,
      Cancellation cancellation,
      Predicate<LogSegment> isThere) {
    if (!isThere.test(segment)) {
      return Optional.empty();
    }
    try {
      return Optional.of(SegmentSurvey.of(segment, keeper, cancellation));
    } catch (WhenceException e) {
      if (e.reason() != ErrorReason.STORAGE_ERROR || isThere.test(segment)) {
        throw e;
      }
      return Optional.empty(); // Its file was closed meanwhile.
    }
  }

  private static long rewrite(CompactionGroup group, Rewriter rewriter) throws IOException {
    return group.isDue() ? rewriter.rewrite(group) : 0;
  }

  /**
   * Fails if an earlier compaction has to be finished first.
   *
   * @throws IOException if so
   */
  void requireFinished() throws IOException {
    if (unfinished) {
      throw new IOException(
          partition + ": an earlier compaction is finished by the next start, and must be first");
    }
  }

  /** Says that all files of the log were deleted, those of an unfinished compaction too. */
  void filesDeleted() {
    unfinished = false;
  }

  /** Writes what is kept of a group; it does not count yet. */
  CleanedSegment write(CompactionGroup group, Cancellation cancellation) throws IOException {
    CleanedSegment cleaned =
        CleanedSegment.create(directory, group.baseOffset(), config, environment);
    try {
      int last = group.surveys().size() - 1;
      for (int i = 0; i <= last; i++) {
        cleaned.addKept(group.surveys().get(i), i == last, cancellation);
      }
      cleaned.finish();
    } catch (IOException | RuntimeException e) {
      cleaned.discard(e);
      throw e;
    }
    return cleaned;
  }

  /** Makes it count in place of the group; from here on it must be part of the log. */
  void commit(CleanedSegment cleaned) throws IOException {
    try {
      cleaned.commit();
    } catch (IOException e) {
      cleaned.discard(e);
      unfinished = cleaned.isThere();
      throw e;
    }
  }

  /**
   * Deletes what was replaced, and writes the indexes. If this fails, the log is right all the
   * same.
   *
   * @return whether the replacement has let go of what is in files
   */
  boolean finish(List<LogSegment> replaced, CleanedSegment cleaned, LogSegment replacement) {
    try {
      // The oldest goes first: as long as it is there, a start knows that all are.
      for (LogSegment old : replaced) {
        environment.deleter().deleteLater(old.markDeleted());
      }
      cleaned.finishSwap();
    } catch (IOException e) {
      unfinished = true;
      warn("the next start finishes a compaction that could not be finished: " + e);
      return false;
    }
    try {
      replacement.seal();
      return replacement.releaseBlocks(environment.memory());
    } catch (IOException e) {
      warn("could not write indexes: " + e); // Only copies of what the log says.
      return false;
    }
  }

  private void warn(String warning) {
    environment.events().warned(partition, warning);
  }
}
