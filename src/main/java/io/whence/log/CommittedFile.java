package io.whence.log;

import io.whence.log.BlockIndexFile.Key;
import io.whence.timeline.SegmentTimeline;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/**
 * The timeline of what readers of committed records see of a sealed segment, in the form of a
 * {@link TimelineFile}: {@code <base offset>.committed}. Invariant: counts only while the segment
 * and the aborted transactions in it are those that it was made of. Thread safety: thread-safe, it
 * has no state.
 */
final class CommittedFile {
  static final String SUFFIX = ".committed";

  private CommittedFile() {}

  /**
   * Writes what is seen of a segment, if that is known well enough to be told again.
   *
   * @param seen the segment with its timeline for readers of committed records
   */
  static void write(LogSnapshot log, SegmentView seen) throws IOException {
    Optional<BlocksSummary> blocks = blocks(seen);
    Optional<SegmentTimeline> timeline = seen.timeline();
    if (blocks.isPresent() && timeline.isPresent()) {
      file(log, seen).write(seen.index(), blocks.get(), timeline.get(), startOf(log, seen));
    }
  }

  /** Reads what is seen of a segment, if it was written for the segment as it is. */
  static Optional<SegmentView> read(LogSnapshot log, SegmentView all) {
    Optional<BlocksSummary> blocks = blocks(all);
    if (blocks.isEmpty()) {
      return Optional.empty();
    }
    return file(log, all)
        .read(summary -> true)
        .filter(contents -> contents.summary().blocks().equals(blocks.get()))
        .filter(contents -> contents.summary().timelineStart() <= startOf(log, all))
        .filter(contents -> contents.timeline().isPresent())
        .map(contents -> seen(all, contents));
  }

  private static SegmentView seen(SegmentView all, TimelineFile.Contents contents) {
    TimestampHealth figures = contents.summary().index().timestamps();
    return new SegmentView(all.file(), all.index().withTimestamps(figures), contents.timeline());
  }

  private static Optional<BlocksSummary> blocks(SegmentView view) {
    return view.index().blocks() instanceof StoredBlocks stored
        ? Optional.of(stored.files().blocks())
        : Optional.empty();
  }

  private static long startOf(LogSnapshot log, SegmentView view) {
    return Math.max(view.index().baseOffset(), log.logStartOffset());
  }

  private static TimelineFile file(LogSnapshot log, SegmentView view) {
    Path directory = Objects.requireNonNull(view.file().path().getParent(), "has a directory");
    Path path = SegmentNames.path(directory, view.index().baseOffset(), SUFFIX);
    return new TimelineFile(path, new Key(log.hiddenFingerprint(view.index()), 0));
  }

  /** Deletes that of a segment, if there is one. */
  static void delete(Path directory, long baseOffset) throws IOException {
    Files.deleteIfExists(SegmentNames.path(directory, baseOffset, SUFFIX));
  }
}
