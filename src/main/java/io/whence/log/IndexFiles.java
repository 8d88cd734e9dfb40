package io.whence.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.whence.model.WhenceException;
import io.whence.timeline.SegmentTimeline;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The index files of a segment that is no longer appended to. One that is missing or is not the
 * very one that was written makes the .log be read again, and is replaced; if that says something
 * else than it did, the caller fails (I6). Thread safety: thread-safe.
 */
final class IndexFiles {
  /** What a timeline of unknown size is taken to need, in bytes a record and in all. */
  private static final int GUESSED_RECORD_BYTES = 2;

  private static final int GUESSED_BYTES = 1024;

  /** Guards the files; taken after the lock of a log, never before. */
  private final Object lock = new Object();

  private final SegmentFile log;
  private final SegmentIndex summary;
  private final BlocksSummary blocks;
  private final BlockIndexFile.Key key;
  private final LogMemory memory;

  @GuardedBy("lock")
  private Path blockIndexPath;

  @GuardedBy("lock")
  private Path timelinePath;

  /** The segment is no longer part of the log: the places of its files may be those of another. */
  @GuardedBy("lock")
  private boolean ended;

  private volatile long timelineMemoryBytes;
  private volatile boolean hasTimelineFile;
  private volatile boolean timelineUnreadable;
  private volatile long pausedUntilLook;

  private IndexFiles(
      SegmentFile log,
      SegmentIndex summary,
      BlocksSummary blocks,
      BlockIndexFile file,
      LogMemory memory) {
    this.log = log;
    this.summary = summary.withBlocks(BlockIndex.NONE);
    this.blocks = blocks;
    this.key = file.key();
    this.memory = memory;
    this.blockIndexPath = file.path();
    this.timelinePath = timelinePath(file.path());
    this.timelineMemoryBytes =
        GUESSED_BYTES + GUESSED_RECORD_BYTES * summary.timestamps().recordCount();
  }

  /**
   * Takes over files of which only the one with the blocks is sure to be there.
   *
   * @param log the .log file
   * @param whole what is known of all of it
   */
  static IndexFiles withBlocks(
      SegmentFile log,
      SegmentIndex whole,
      BlocksSummary blocks,
      BlockIndexFile file,
      LogMemory memory) {
    return new IndexFiles(log, whole, blocks, file, memory);
  }

  /** Takes over files that were written. */
  static IndexFiles withTimeline(
      SegmentFile log,
      SegmentIndex whole,
      BlocksSummary blocks,
      BlockIndexFile file,
      long timelineMemoryBytes,
      LogMemory memory) {
    IndexFiles files = new IndexFiles(log, whole, blocks, file, memory);
    files.timelineMemoryBytes = timelineMemoryBytes;
    files.hasTimelineFile = true;
    return files;
  }

  /** Returns where the timeline is that belongs to a block index file. */
  static Path timelinePath(Path blockIndexPath) {
    String name = String.valueOf(blockIndexPath.getFileName());
    return blockIndexPath.resolveSibling(name.replace(BlockIndexFile.SUFFIX, TimelineFile.SUFFIX));
  }

  /** Returns the index with its blocks in these files. */
  SegmentIndex index() {
    return summary.withBlocks(new StoredBlocks(this, blocks.count(), memory.blocks()));
  }

  /** Returns what tells these blocks from all others. */
  BlocksSummary blocks() {
    return blocks;
  }

  /** Returns how much memory the timeline takes, or would take; a guess where nothing says. */
  long timelineMemoryBytes() {
    return timelineMemoryBytes;
  }

  /**
   * Returns whether the timeline is in its file, as far as is known; else the log has to be read.
   */
  boolean hasTimelineFile() {
    return hasTimelineFile;
  }

  /** Returns whether the timeline can't be read, as the log is damaged, say: not tried again. */
  boolean isTimelineUnreadable() {
    return timelineUnreadable;
  }

  void setTimelineUnreadable() {
    timelineUnreadable = true;
  }

  /** Says that reading the timeline failed, but may succeed some looks later. */
  void pauseTimeline(long untilLook) {
    pausedUntilLook = untilLook;
  }

  boolean isPaused(long look) {
    return look < pausedUntilLook;
  }

  /** Reads the blocks. */
  BlockIndex readBlocks() {
    return readBlockIndexFile().orElseGet(() -> readLog().index().blocks().load());
  }

  private Optional<BlockIndex> readBlockIndexFile() {
    Optional<BlockIndexFile.Contents> contents;
    synchronized (lock) {
      contents = new BlockIndexFile(blockIndexPath, key).read();
    }
    return contents
        .filter(c -> c.crc() == blocks.crc() && c.index().isAbout(summary))
        .map(c -> c.index().blocks().load());
  }

  /** Reads the timeline. */
  SegmentTimeline readTimeline() {
    SegmentTimeline timeline = readTimelineFile().orElseGet(this::timelineOfLog);
    timelineMemoryBytes = timeline.sizeInBytes();
    return timeline;
  }

  private Optional<SegmentTimeline> readTimelineFile() {
    Optional<TimelineFile.Contents> contents;
    synchronized (lock) {
      contents = new TimelineFile(timelinePath, key).read(this::isWhole);
    }
    return contents
        .filter(c -> c.summary().blocks().equals(blocks) && c.summary().index().isAbout(summary))
        .flatMap(TimelineFile.Contents::timeline);
  }

  /** One of a part of the records belongs to one log start; which is it now is not known here. */
  private boolean isWhole(TimelineFile.Summary found) {
    return found.timelineStart() <= summary.baseOffset();
  }

  private SegmentTimeline timelineOfLog() {
    return readLog()
        .timeline()
        .map(SegmentTimeline::compacted)
        .orElseThrow(() -> new IllegalStateException(log.path() + ": read without its records"));
  }

  private SegmentScanner.Result readLog() {
    SegmentScanner.Result found =
        new SegmentScanner(
                log,
                summary.sizeBytes(),
                new SegmentIndexBuilder(summary.baseOffset(), key.indexIntervalBytes()),
                SegmentScanner.OnFault.STOP,
                OptionalLong.empty())
            .scan();
    if (found.tail().isPresent()) {
      throw damaged(found.tail().get().over(summary.offsets()));
    }
    byte[] bytes = BlockIndexFile.encode(found.index(), key);
    if (BlockIndexFile.crcOf(bytes) != blocks.crc() || !found.index().isAbout(summary)) {
      throw changed();
    }
    replace(found, bytes);
    memory.preload().events().rebuilt(log.path());
    return found;
  }

  private WhenceException changed() {
    return damaged(
        new Damage(
            summary.offsets(),
            log.path().toString(),
            0,
            "batches as they were when the segment was indexed",
            "others; the file was changed after it was opened"));
  }

  private WhenceException damaged(Damage damage) {
    log.foundDamaged(damage.position(), damage.expected(), damage.found());
    return damage.asFailure();
  }

  private void replace(SegmentScanner.Result found, byte[] blockIndex) {
    Optional<SegmentTimeline> timeline = found.timeline().map(SegmentTimeline::compacted);
    synchronized (lock) {
      if (ended) {
        return;
      }
      try {
        new AtomicFile(blockIndexPath).write(blockIndex);
        if (timeline.isPresent()) {
          new TimelineFile(timelinePath, key)
              .write(summary, blocks, timeline.get(), summary.baseOffset());
          hasTimelineFile = true;
        }
      } catch (IOException e) {
        // A full disk, perhaps: the log says the same, and is read again.
      }
    }
  }

  /**
   * Puts the files aside, since another segment may need their names; a start deletes them.
   *
   * @param deletedLog the name that the .log has got
   */
  void putAside(Path deletedLog) throws IOException {
    String name = String.valueOf(deletedLog.getFileName());
    synchronized (lock) {
      ended = true;
      blockIndexPath =
          move(
              blockIndexPath,
              deletedLog.resolveSibling(name.replace(SegmentNames.LOG, BlockIndexFile.SUFFIX)));
      timelinePath =
          move(
              timelinePath,
              deletedLog.resolveSibling(name.replace(SegmentNames.LOG, TimelineFile.SUFFIX)));
    }
  }

  private static Path move(Path from, Path to) throws IOException {
    if (Files.exists(from)) {
      Files.move(from, to, StandardCopyOption.REPLACE_EXISTING);
    }
    return to;
  }

  /** Writes no more. */
  void end() {
    synchronized (lock) {
      ended = true;
    }
  }

  /** Deletes the files. */
  void delete() throws IOException {
    synchronized (lock) {
      Files.deleteIfExists(blockIndexPath);
      Files.deleteIfExists(timelinePath);
    }
  }
}
