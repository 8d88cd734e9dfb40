package io.whence.log;

import io.whence.timeline.SegmentTimeline;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Optional;

/**
 * Where the indexes of archived segments outlive the process. Never a reason to fail: a file that
 * can't be read is none, and one that can't be written is a warning. Thread safety: single-writer.
 */
final class ArchivedIndexCache {
  private final ArchiveRules rules;
  private final int indexIntervalBytes;
  private boolean broken;

  ArchivedIndexCache(ArchiveRules rules, int indexIntervalBytes) {
    this.rules = rules;
    this.indexIntervalBytes = indexIntervalBytes;
  }

  /**
   * Returns what tells the bytes of a file from others, as far as that can be told without reading
   * them.
   */
  static long fingerprint(Path log) throws IOException {
    BasicFileAttributes attributes = Files.readAttributes(log, BasicFileAttributes.class);
    long hash = attributes.size();
    hash = mix(hash, attributes.lastModifiedTime());
    hash = 31 * hash + String.valueOf(attributes.fileKey()).hashCode();
    return mix(hash, changeTime(log).orElse(attributes.creationTime()));
  }

  /** Unlike the modification time, nobody can set it back. */
  private static Optional<FileTime> changeTime(Path log) throws IOException {
    try {
      return Optional.of((FileTime) Files.getAttribute(log, "unix:ctime"));
    } catch (UnsupportedOperationException | IllegalArgumentException e) {
      return Optional.empty(); // Not a file system of Unix.
    }
  }

  private static long mix(long hash, FileTime time) {
    return (31 * hash + time.toInstant().getEpochSecond()) * 31 + time.toInstant().getNano();
  }

  /** Returns a whole segment, if the cache has one about these bytes. */
  Optional<SegmentView> read(SegmentFile log, long baseOffset, long size, long fingerprint) {
    try {
      return file(log, fingerprint)
          .flatMap(file -> read(log, file))
          .filter(view -> view.index().baseOffset() == baseOffset)
          .filter(view -> view.index().sizeBytes() == size);
    } catch (UncheckedIOException e) {
      return Optional.empty();
    }
  }

  private Optional<SegmentView> read(SegmentFile log, BlockIndexFile file) {
    Optional<TimelineFile.Contents> known =
        timelineFile(file).read(summary -> takesAtStart(summary.memoryBytes()));
    if (known.isEmpty()) {
      return file.read().map(contents -> withoutTimeline(log, contents, file));
    }
    TimelineFile.Summary summary = known.get().summary();
    IndexFiles files =
        IndexFiles.withTimeline(
            log, summary.index(), summary.blocks(), file, summary.memoryBytes(), rules.memory());
    return Optional.of(view(log, files, known.get().timeline()));
  }

  private SegmentView withoutTimeline(
      SegmentFile log, BlockIndexFile.Contents contents, BlockIndexFile file) {
    BlocksSummary blocks = BlocksSummary.of(contents.index().blocks().load(), contents.crc());
    IndexFiles files = IndexFiles.withBlocks(log, contents.index(), blocks, file, rules.memory());
    return view(log, files, Optional.empty());
  }

  private boolean takesAtStart(long timelineBytes) {
    return rules.memory().preload().takesAtStart(timelineBytes);
  }

  private SegmentView view(SegmentFile log, IndexFiles files, Optional<SegmentTimeline> timeline) {
    return new SegmentView(log, files.index(), timeline);
  }

  private static TimelineFile timelineFile(BlockIndexFile file) {
    return new TimelineFile(IndexFiles.timelinePath(file.path()), file.key());
  }

  private Optional<BlockIndexFile> file(SegmentFile log, long fingerprint) {
    BlockIndexFile.Key key = new BlockIndexFile.Key(fingerprint, indexIntervalBytes);
    return rules.cacheFile(log.path()).map(path -> new BlockIndexFile(path, key));
  }

  /**
   * Keeps the index of a whole segment.
   *
   * @param view the segment with its timeline
   * @param warnings gets a warning, the first time that it fails
   * @return the segment with its blocks in the cache, or as it was if they can't be there; then
   *     without its timeline, if there is no room for that
   */
  SegmentView write(SegmentView view, long fingerprint, List<String> warnings) {
    BlockIndexFile file = file(view.file(), fingerprint).orElse(null);
    if (file == null || broken) {
      return withinBudget(view);
    }
    try {
      return write(view, file);
    } catch (IOException e) {
      broken = true;
      warnings.add(
          file.path() + ": could not be written, the next start reads the log again: " + e);
      return withinBudget(view);
    }
  }

  /**
   * Returns a segment that can't be in the cache: its blocks stay in memory, but the timeline only
   * if there is room for it. It can't come back later.
   */
  SegmentView withinBudget(SegmentView view) {
    return takesAtStart(view.slot().sizeInBytes())
        ? view
        : new SegmentView(view.file(), view.index(), Optional.empty());
  }

  private SegmentView write(SegmentView view, BlockIndexFile file) throws IOException {
    SegmentIndex index = view.index();
    Files.createDirectories(file.path().toAbsolutePath().getParent());
    BlocksSummary blocks = BlocksSummary.of(index.blocks().load(), file.write(index));
    if (view.timeline().isEmpty()) {
      IndexFiles files = IndexFiles.withBlocks(view.file(), index, blocks, file, rules.memory());
      return view(view.file(), files, Optional.empty());
    }
    SegmentTimeline timeline = view.timeline().get();
    timelineFile(file).write(index, blocks, timeline, index.baseOffset());
    IndexFiles files =
        IndexFiles.withTimeline(
            view.file(), index, blocks, file, timeline.sizeInBytes(), rules.memory());
    boolean kept = takesAtStart(timeline.sizeInBytes());
    return view(view.file(), files, kept ? view.timeline() : Optional.empty());
  }
}
