package io.whence.log;

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

  /** Returns the index of a whole segment, if there is one about these bytes. */
  Optional<SegmentIndex> read(SegmentFile log, long baseOffset, long size, long fingerprint) {
    try {
      return file(log, fingerprint)
          .flatMap(file -> read(log, file))
          .filter(index -> index.baseOffset() == baseOffset && index.sizeBytes() == size);
    } catch (UncheckedIOException e) {
      return Optional.empty();
    }
  }

  private Optional<SegmentIndex> read(SegmentFile log, BlockIndexFile file) {
    return file.read().map(contents -> inFile(log, contents.index(), file, contents.crc()));
  }

  private SegmentIndex inFile(SegmentFile log, SegmentIndex index, BlockIndexFile file, int crc) {
    return StoredBlocks.indexOf(log, index, file, crc, rules.memory().blocks());
  }

  private Optional<BlockIndexFile> file(SegmentFile log, long fingerprint) {
    BlockIndexFile.Key key = new BlockIndexFile.Key(fingerprint, indexIntervalBytes);
    return rules.cacheFile(log.path()).map(path -> new BlockIndexFile(path, key));
  }

  /**
   * Keeps the index of a whole segment.
   *
   * @param warnings gets a warning, the first time that it fails
   * @return the index with its blocks in the cache, or as it was if they can't be there
   */
  SegmentIndex write(SegmentFile log, SegmentIndex index, long fingerprint, List<String> warnings) {
    BlockIndexFile file = file(log, fingerprint).orElse(null);
    if (file == null || broken) {
      return index;
    }
    try {
      Files.createDirectories(file.path().toAbsolutePath().getParent());
      return inFile(log, index, file, file.write(index));
    } catch (IOException e) {
      broken = true;
      warnings.add(
          file.path() + ": could not be written, the next start reads the log again: " + e);
      return index;
    }
  }
}
