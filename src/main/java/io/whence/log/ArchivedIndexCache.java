package io.whence.log;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
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
  Optional<SegmentIndex> read(Path log, long baseOffset, long size, long fingerprint) {
    try {
      return rules
          .cacheFile(log)
          .flatMap(file -> BlockIndexFile.read(file, fingerprint, indexIntervalBytes))
          .filter(index -> index.baseOffset() == baseOffset && index.sizeBytes() == size);
    } catch (UncheckedIOException e) {
      return Optional.empty();
    }
  }

  /**
   * Keeps the index of a whole segment.
   *
   * @return a warning, the first time that it fails
   */
  Optional<String> write(Path log, SegmentIndex index, long fingerprint) {
    Path file = rules.cacheFile(log).orElse(null);
    if (file == null || broken) {
      return Optional.empty();
    }
    try {
      Files.createDirectories(file.toAbsolutePath().getParent());
      BlockIndexFile.write(file, index, fingerprint, indexIntervalBytes);
      return Optional.empty();
    } catch (IOException e) {
      broken = true;
      return Optional.of(file + ": could not be written, the next start reads the log again: " + e);
    }
  }
}
