package io.whence.log;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A segment that a compaction made and that a crash kept from the place of those that it was made
 * from. Any of these may still be there, with any of their indexes. Thread safety: single-writer.
 */
final class UnfinishedSwap {
  private final Path directory;
  private final long baseOffset;
  private final Path swap;

  UnfinishedSwap(Path directory, long baseOffset, Path swap) {
    this.directory = directory;
    this.baseOffset = baseOffset;
    this.swap = swap;
  }

  /**
   * Puts it in their place; can be interrupted and done again.
   *
   * @param logs the segments by base offset; changed to what there is then
   * @return what the operator should know
   */
  Optional<String> finish(NavigableMap<Long, Path> logs) throws IOException {
    SegmentScanner.Result scanned = scan();
    boolean sound = scanned.tail().isEmpty() && scanned.damages().isEmpty();
    if (!sound && logs.containsKey(baseOffset)) {
      // The first to go is still there, and so are all: what was made of them is not needed.
      Files.delete(swap);
      AtomicFile.forceDirectory(directory);
      return Optional.of("deleted, since it is damaged and what it was made from is not: " + swap);
    }
    long endOffset = scanned.index().nextOffset();
    for (long old : List.copyOf(logs.subMap(baseOffset, endOffset).keySet())) {
      Files.delete(Objects.requireNonNull(logs.remove(old), "a listed file"));
      LogSegment.deleteIndexes(directory, old);
    }
    LogSegment.deleteIndexes(directory, baseOffset);
    AtomicFile.forceDirectory(directory);
    Path log = SegmentNames.path(directory, baseOffset, SegmentNames.LOG);
    Files.move(swap, log, StandardCopyOption.ATOMIC_MOVE);
    AtomicFile.forceDirectory(directory);
    logs.put(baseOffset, log);
    return Optional.empty();
  }

  private SegmentScanner.Result scan() throws IOException {
    SegmentFile file = new SegmentFile(swap, false);
    try {
      SegmentIndexBuilder builder = new SegmentIndexBuilder(baseOffset, Integer.MAX_VALUE);
      return new SegmentScanner(
              file, file.size(), builder, SegmentScanner.OnFault.SKIP, OptionalLong.empty())
          .scan();
    } finally {
      file.close();
    }
  }
}
