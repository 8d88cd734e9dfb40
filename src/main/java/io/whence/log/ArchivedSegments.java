package io.whence.log;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/**
 * Which .log files of a partition directory a broker would load, by base offset, with the leftovers
 * of a crash treated as it would: {@code .deleted} and {@code .cleaned} do not count, and a
 * finished {@code .swap} takes the place of the files that it covers. Only looks. Thread safety:
 * single-writer.
 */
final class ArchivedSegments {
  private final TreeMap<Long, Path> logs = new TreeMap<>();
  private final TreeMap<Long, Path> swaps = new TreeMap<>();
  private final TreeMap<Long, Path> cleaned = new TreeMap<>();

  private ArchivedSegments() {}

  /**
   * Lists the files.
   *
   * @param nextOffset tells where a .log file ends: the offset after its last batch
   */
  static TreeMap<Long, Path> list(Path directory, ToLongFunction<Path> nextOffset)
      throws IOException {
    ArchivedSegments segments = new ArchivedSegments();
    try (Stream<Path> files = Files.list(directory)) {
      files.forEach(segments::add);
    }
    segments.swapIn(nextOffset);
    return segments.logs;
  }

  private void add(Path file) {
    String name = String.valueOf(file.getFileName());
    putIfNamed(logs, file, name, SegmentNames.LOG);
    putIfNamed(swaps, file, name, SegmentNames.LOG + SegmentNames.SWAP);
    for (String suffix : SegmentNames.OF_SEGMENT) {
      putIfNamed(cleaned, file, name, suffix + SegmentNames.CLEANED);
    }
  }

  private static void putIfNamed(TreeMap<Long, Path> files, Path file, String name, String suffix) {
    OptionalLong baseOffset = SegmentNames.baseOffset(name, suffix);
    if (baseOffset.isPresent()) {
      files.put(baseOffset.getAsLong(), file);
    }
  }

  private void swapIn(ToLongFunction<Path> nextOffset) {
    if (!cleaned.isEmpty()) {
      // The cleaner had not finished: swaps from there on are of the same unfinished pass.
      swaps.tailMap(cleaned.firstKey(), true).clear();
    }
    if (swaps.isEmpty()) {
      return;
    }
    long end = swaps.values().stream().mapToLong(nextOffset).max().orElseThrow();
    logs.subMap(swaps.firstKey(), true, Math.max(swaps.firstKey(), end), false).clear();
    logs.putAll(swaps);
  }
}
