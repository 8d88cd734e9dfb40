package io.whence.log;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The files of a partition, as a stop or a crash left them. Thread safety: single-writer; one a
 * directory.
 */
final class PartitionFiles {
  private final Path directory;
  private final List<String> leftoverSuffixes;
  private final Consumer<String> onWarning;
  private final TreeMap<Long, Path> logs = new TreeMap<>();
  private final TreeMap<Long, Path> swaps = new TreeMap<>();
  private final TreeSet<Long> indexed = new TreeSet<>();
  private final List<Path> leftovers = new ArrayList<>();

  private PartitionFiles(
      Path directory, List<String> leftoverSuffixes, Consumer<String> onWarning) {
    this.directory = directory;
    this.leftoverSuffixes = leftoverSuffixes;
    this.onWarning = onWarning;
  }

  /**
   * Deletes what a crash left of removals and of writes, and finishes compactions.
   *
   * @param leftoverSuffixes what the names of files end in that count for nothing
   * @param onWarning is told what the operator should know
   * @return the segments that are there then, by base offset; may be changed
   */
  static TreeMap<Long, Path> cleanAndListLogs(
      Path directory, List<String> leftoverSuffixes, Consumer<String> onWarning)
      throws IOException {
    PartitionFiles files = new PartitionFiles(directory, leftoverSuffixes, onWarning);
    try (Stream<Path> all = Files.list(directory)) {
      all.forEach(files::sort);
    }
    files.clean();
    return files.logs;
  }

  private void sort(Path file) {
    String name = String.valueOf(file.getFileName());
    SegmentNames.baseOffset(name, SegmentNames.LOG).ifPresent(base -> logs.put(base, file));
    SegmentNames.baseOffset(name, SegmentNames.LOG + SegmentNames.SWAP)
        .ifPresent(base -> swaps.put(base, file));
    for (String suffix : LogSegment.INDEX_SUFFIXES) {
      SegmentNames.baseOffset(name, suffix).ifPresent(indexed::add);
    }
    SegmentNames.baseOffset(name, CommittedFile.SUFFIX).ifPresent(indexed::add);
    if (leftoverSuffixes.stream().anyMatch(name::endsWith)) {
      leftovers.add(file);
    }
  }

  private void clean() throws IOException {
    for (Path leftover : leftovers) {
      Files.deleteIfExists(leftover);
    }
    for (Map.Entry<Long, Path> swap : swaps.entrySet()) {
      new UnfinishedSwap(directory, swap.getKey(), swap.getValue())
          .finish(logs)
          .ifPresent(onWarning);
    }
    indexed.removeAll(logs.keySet());
    for (long baseOffset : indexed) {
      LogSegment.deleteIndexes(directory, baseOffset);
      CommittedFile.delete(directory, baseOffset);
    }
  }
}
