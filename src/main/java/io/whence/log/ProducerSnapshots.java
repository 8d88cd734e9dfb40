package io.whence.log;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The producer snapshots of a partition directory. They alone know of transactions that began in
 * segments that are gone. Only looks. Thread safety: thread-safe.
 */
final class ProducerSnapshots {
  private ProducerSnapshots() {}

  /**
   * Returns the transactions that began before the first segment and were open at the newest sound
   * snapshot: producer to first offset. A marker behind the snapshot may have ended them since.
   *
   * @param firstOffset the base offset of the first segment
   * @param logEndOffset snapshots of offsets above it are of a log that was cut since
   */
  static Map<Long, Long> openBefore(Path directory, long firstOffset, long logEndOffset)
      throws IOException {
    for (Path path : list(directory).headMap(logEndOffset, true).descendingMap().values()) {
      Optional<Map<Long, Long>> open = new ProducerSnapshotFile(path).readOpenTransactions();
      if (open.isPresent()) {
        Map<Long, Long> before = new TreeMap<>(open.get());
        before.values().removeIf(startOffset -> startOffset >= firstOffset);
        return before;
      }
    }
    return Map.of();
  }

  private static TreeMap<Long, Path> list(Path directory) throws IOException {
    TreeMap<Long, Path> snapshots = new TreeMap<>();
    try (Stream<Path> files = Files.list(directory)) {
      // What is no file can't be a snapshot; opening a named pipe would wait for ever.
      files
          .filter(Files::isRegularFile)
          .forEach(
              file ->
                  SegmentNames.baseOffset(
                          String.valueOf(file.getFileName()), SegmentNames.PRODUCER_SNAPSHOT)
                      .ifPresent(offset -> snapshots.put(offset, file)));
    }
    return snapshots;
  }
}
