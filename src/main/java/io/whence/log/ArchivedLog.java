package io.whence.log;

import io.whence.model.OffsetRange;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Loads the log of a partition directory that a broker wrote, without changing anything in it. What
 * a broker would repair when it starts after a crash is repaired in memory. Thread safety:
 * single-writer; one a partition.
 */
public final class ArchivedLog {
  /** Kafka's default; how dense our own index is needn't be how dense Kafka's is. */
  private static final int INDEX_INTERVAL_BYTES = 4096;

  private final Path directory;
  private final ArchiveRules rules;
  private final List<SegmentView> segments = new ArrayList<>();
  private final List<Damage> damages = new ArrayList<>();
  private final List<String> warnings = new ArrayList<>();
  private boolean ended;

  private ArchivedLog(Path directory, ArchiveRules rules) {
    this.directory = directory;
    this.rules = rules;
  }

  /**
   * What was loaded.
   *
   * @param log the log
   * @param warnings what the operator should know
   */
  public record Loaded(LogSnapshot log, List<String> warnings) {}

  /**
   * Loads a log.
   *
   * @param directory the partition directory
   * @throws IOException if a file can't be read
   */
  public static Loaded load(Path directory, ArchiveRules rules) throws IOException {
    return new ArchivedLog(directory, rules).load();
  }

  private Loaded load() throws IOException {
    TreeMap<Long, Path> files =
        ArchivedSegments.list(directory, path -> scanToEnd(path, baseOffsetOf(path)).nextOffset());
    long recoverFrom = files.isEmpty() ? 0 : recoverFrom(files);
    for (Map.Entry<Long, Path> file : files.entrySet()) {
      if (ended) {
        warnings.add(file.getValue() + ": dropped, as a broker would: the log ends before it");
      } else {
        loadSegment(file.getKey(), file.getValue(), files, recoverFrom);
      }
    }
    return new Loaded(snapshot(), List.copyOf(warnings));
  }

  /** Returns from which segment on a broker would check every batch; above all if it would not. */
  private long recoverFrom(NavigableMap<Long, Path> files) {
    if (rules.cleanShutdown()) {
      return Long.MAX_VALUE;
    }
    Long floor = files.floorKey(rules.recoveryPoint().orElse(0));
    return floor == null ? files.firstKey() : floor;
  }

  private void loadSegment(
      long baseOffset, Path path, NavigableMap<Long, Path> files, long recoverFrom)
      throws IOException {
    boolean recovers = baseOffset >= recoverFrom && !rules.salvage();
    SegmentFile file = new SegmentFile(path, false);
    long size = Files.size(path);
    if (size > Integer.MAX_VALUE) {
      throw new IOException(path + ": expected at most 2^31-1 bytes, found " + size);
    }
    long fingerprint = fingerprint(path);
    Optional<Path> cache = rules.cacheFile(path);
    Optional<SegmentIndex> cached =
        cache.flatMap(c -> BlockIndexFile.read(c, fingerprint, INDEX_INTERVAL_BYTES));
    if (cached.isPresent() && cached.get().sizeBytes() == size) {
      segments.add(new SegmentView(file, cached.get()));
      return;
    }
    SegmentScanner.Result result =
        new SegmentScanner(
                file,
                size,
                new SegmentIndexBuilder(baseOffset, INDEX_INTERVAL_BYTES),
                recovers ? SegmentScanner.OnFault.STOP : SegmentScanner.OnFault.SKIP)
            .scan();
    segments.add(new SegmentView(file, result.index()));
    damages.addAll(result.damages());
    Long nextBase = files.higherKey(baseOffset);
    result.tail().ifPresent(tail -> endSegment(tail, recovers, nextBase));
    if (cache.isPresent() && result.damages().isEmpty() && result.tail().isEmpty()) {
      BlockIndexFile.write(cache.get(), result.index(), fingerprint, INDEX_INTERVAL_BYTES);
    }
  }

  private void endSegment(
      Damage tail, boolean recovers, @org.jspecify.annotations.Nullable Long nextBase) {
    if (recovers) {
      ended = true;
      warnings.add(tail + "; the log ends there, as a broker's recovery would leave it");
    } else if (nextBase == null) {
      warnings.add(tail + "; nothing behind it can be read, so the log ends there");
    } else {
      damages.add(
          new Damage(
              new OffsetRange(
                  tail.range().startOffset(), Math.max(nextBase, tail.range().startOffset())),
              tail.path(),
              tail.position(),
              tail.expected(),
              tail.found()));
    }
  }

  private LogSnapshot snapshot() {
    long firstOffset = segments.isEmpty() ? 0 : segments.get(0).index().baseOffset();
    long logEndOffset =
        segments.isEmpty() ? 0 : segments.get(segments.size() - 1).index().nextOffset();
    long logStartOffset = Math.max(rules.logStartOffset().orElse(0), firstOffset);
    if (logEndOffset < logStartOffset) {
      warnings.add(
          directory
              + ": the log ends at "
              + logEndOffset
              + ", below its start "
              + logStartOffset
              + "; empty, as a broker would start it");
      return new LogSnapshot(
          List.of(), logStartOffset, logStartOffset, AbortedTransactions.NONE, List.of());
    }
    AbortedTransactions transactions =
        AbortedTransactions.of(segments.stream().map(SegmentView::index).toList(), Map.of());
    return new LogSnapshot(segments, logStartOffset, logEndOffset, transactions, damages);
  }

  private static SegmentIndex scanToEnd(Path path, long baseOffset) {
    SegmentFile file = new SegmentFile(path, false);
    SegmentIndexBuilder builder = new SegmentIndexBuilder(baseOffset, INDEX_INTERVAL_BYTES);
    return new SegmentScanner(file, file.size(), builder, SegmentScanner.OnFault.STOP)
        .scan()
        .index();
  }

  private static long baseOffsetOf(Path swap) {
    return SegmentNames.baseOffset(
            String.valueOf(swap.getFileName()), SegmentNames.LOG + SegmentNames.SWAP)
        .orElseThrow();
  }

  /**
   * Tells whether a cached index is about these bytes, as far as that can be told without reading.
   */
  private static long fingerprint(Path path) throws IOException {
    BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
    return 31 * attributes.lastModifiedTime().toMillis() + attributes.size();
  }
}
