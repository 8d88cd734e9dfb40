package io.whence.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.whence.model.WhenceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The blocks of a segment that is no longer appended to, in its block index file. A file that is
 * missing or is not the very one that was written makes the .log be read again, and is replaced; if
 * that says something else than it did, the lookup fails (I6). Thread safety: thread-safe.
 */
final class StoredBlocks implements BlockSource {
  /** Held while they are read: of those who need them at a time, one does it. */
  private final Object reading = new Object();

  /** Guards the file; taken after the lock of a log, never before. */
  private final Object lock = new Object();

  private final SegmentFile log;
  private final SegmentIndex summary;
  private final BlockIndexFile.Key key;
  private final int crc;
  private final int blockCount;
  private final BlockIndexCache cache;

  @GuardedBy("lock")
  private Path path;

  /** The segment is no longer part of the log: the place of its file may be that of another. */
  @GuardedBy("lock")
  private boolean ended;

  private StoredBlocks(
      SegmentFile log, SegmentIndex whole, BlockIndexFile file, int crc, BlockIndexCache cache) {
    this.log = log;
    this.blockCount = whole.blocks().blockCount();
    this.summary = whole.withBlocks(BlockIndex.NONE);
    this.key = file.key();
    this.path = file.path();
    this.crc = crc;
    this.cache = cache;
  }

  /**
   * Returns an index of a whole segment that has its blocks in a file.
   *
   * @param log the .log file, all of which the index covers
   * @param whole the index with its blocks
   * @param file where they are
   * @param crc the checksum of that file
   */
  static SegmentIndex indexOf(
      SegmentFile log, SegmentIndex whole, BlockIndexFile file, int crc, BlockIndexCache cache) {
    return whole.withBlocks(new StoredBlocks(log, whole, file, crc, cache));
  }

  @Override
  public BlockIndex load() {
    return cache.get(this);
  }

  @Override
  public int blockCount() {
    return blockCount;
  }

  @Override
  public boolean isWhole() {
    return true; // Others have no file.
  }

  Object reading() {
    return reading;
  }

  /** Reads them from where they are. */
  BlockIndex read() {
    return readFile().orElseGet(this::readLog);
  }

  private Optional<BlockIndex> readFile() {
    Optional<BlockIndexFile.Contents> contents;
    synchronized (lock) {
      contents = new BlockIndexFile(path, key).read();
    }
    return contents
        .filter(c -> c.crc() == crc && c.index().isAbout(summary))
        .map(c -> c.index().blocks().load());
  }

  private BlockIndex readLog() {
    SegmentIndexBuilder builder =
        new SegmentIndexBuilder(summary.baseOffset(), key.indexIntervalBytes());
    SegmentScanner.Result found =
        new SegmentScanner(
                log,
                summary.sizeBytes(),
                builder,
                SegmentScanner.OnFault.STOP,
                OptionalLong.empty())
            .scan();
    if (found.tail().isPresent()) {
      throw found.tail().get().over(summary.offsets()).asFailure();
    }
    byte[] bytes = BlockIndexFile.encode(found.index(), key);
    if (BlockIndexFile.crcOf(bytes) != crc || !found.index().isAbout(summary)) {
      throw changed();
    }
    replaceFile(bytes);
    return found.index().blocks().load();
  }

  private WhenceException changed() {
    return new Damage(
            summary.offsets(),
            log.path().toString(),
            0,
            "batches as they were when the segment was indexed",
            "others; the file was changed after it was opened")
        .asFailure();
  }

  private void replaceFile(byte[] bytes) {
    synchronized (lock) {
      if (ended) {
        return;
      }
      try {
        new AtomicFile(path).write(bytes);
      } catch (IOException e) {
        // A full disk, perhaps: the log says the same, and is read again.
      }
    }
  }

  /**
   * Puts the file aside, since another segment may need its name.
   *
   * @param aside the name to be had; deleted by a start
   */
  void endAt(Path aside) throws IOException {
    synchronized (lock) {
      ended = true;
      if (Files.exists(path)) {
        Files.move(path, aside);
      }
      path = aside;
    }
  }

  /** Writes no more. */
  void end() {
    synchronized (lock) {
      ended = true;
    }
  }

  /** Deletes the file; nobody needs the blocks any more. */
  void delete() throws IOException {
    cache.forget(this);
    synchronized (lock) {
      Files.deleteIfExists(path);
    }
  }
}
