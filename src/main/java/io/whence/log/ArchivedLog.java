package io.whence.log;

import io.whence.model.ErrorReason;
import io.whence.model.OffsetRange;
import io.whence.model.WhenceException;
import io.whence.timeline.SegmentTimeline;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * Loads the log of a partition directory that a broker wrote, without changing anything in it. What
 * a broker would repair when it starts after a crash is repaired in memory. Thread safety:
 * single-writer; one a partition.
 */
public final class ArchivedLog {
  private final Path directory;
  private final ArchiveRules rules;
  private final ArchivedIndexCache cache;
  private final List<SegmentView> segments = new ArrayList<>();
  private final List<Damage> damages = new ArrayList<>();

  /** Where the log was cut, with an empty range: shown, but no answer could lie there. */
  private final List<Damage> cut = new ArrayList<>();

  private final List<String> warnings = new ArrayList<>();
  private boolean ended;

  private ArchivedLog(Path directory, ArchiveRules rules) {
    this.directory = directory;
    this.rules = rules;
    this.cache = new ArchivedIndexCache(rules, ArchivedScan.INDEX_INTERVAL_BYTES);
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
   * @throws WhenceException if nothing can be told of the log as a whole: {@code
   *     UNSUPPORTED_FORMAT}, {@code DAMAGED_LOG}, {@code STORAGE_ERROR}
   */
  public static Loaded load(Path directory, ArchiveRules rules) throws IOException {
    try {
      return new ArchivedLog(directory, rules).load();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private Loaded load() throws IOException {
    TreeMap<Long, Path> files = ArchivedSegments.list(directory, ArchivedScan::nextOffset);
    long recoverFrom = files.isEmpty() ? 0 : recoverFrom(files);
    for (Map.Entry<Long, Path> file : files.entrySet()) {
      if (ended) {
        warnings.add(file.getValue() + ": dropped, as a broker would: the log ends before it");
      } else {
        Long nextBase = files.higherKey(file.getKey());
        loadSegment(
            file.getKey(),
            file.getValue(),
            nextBase == null ? OptionalLong.empty() : OptionalLong.of(nextBase),
            file.getKey() >= recoverFrom && !rules.salvage());
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

  private void loadSegment(long baseOffset, Path path, OptionalLong nextBase, boolean recovers)
      throws IOException {
    requireBehindLast(baseOffset, path);
    SegmentFile file = new SegmentFile(path, false, Disk.REAL, rules.events());
    long fingerprint = ArchivedIndexCache.fingerprint(path);
    RegularFiles.require(path); // Some others have a size of 0, and would count as empty.
    long size = Files.size(path);
    Optional<SegmentView> cached = cache.read(file, baseOffset, size, fingerprint);
    if (cached.isPresent()) {
      segments.add(cached.get());
      return;
    }
    SegmentScanner.Result result =
        ArchivedScan.of(
            file,
            baseOffset,
            recovers ? SegmentScanner.OnFault.STOP : SegmentScanner.OnFault.SKIP,
            nextBase);
    long endBefore = segments.isEmpty() ? baseOffset : lastIndex().nextOffset();
    SegmentView view = new SegmentView(file, result.index(), packed(result));
    segments.add(view);
    damages.addAll(result.damages());
    result.tail().ifPresent(tail -> endSegment(tail, recovers, endBefore, nextBase));
    boolean cut = result.tail().isEmpty() && reportCut(path, nextBase);
    boolean isWhole = result.damages().isEmpty() && result.tail().isEmpty() && !cut;
    segments.set(
        segments.size() - 1,
        isWhole ? cache.write(view, fingerprint, warnings) : cache.withinBudget(view));
  }

  private static Optional<SegmentTimeline> packed(SegmentScanner.Result result) {
    return result.timeline().map(SegmentTimeline::compacted);
  }

  /** Searches rely on offsets that ascend from segment to segment. */
  private void requireBehindLast(long baseOffset, Path path) {
    long end = segments.isEmpty() ? 0 : lastIndex().nextOffset();
    if (baseOffset < end) {
      String last = segments.get(segments.size() - 1).file().path().toString();
      throw WhenceException.of(
          ErrorReason.DAMAGED_LOG,
          path + ": expected a base offset of at least " + end + ", where " + last + " ends",
          "path",
          path,
          "position",
          0,
          "expected",
          "a base offset of at least " + end,
          "found",
          baseOffset);
    }
  }

  /** Returns whether the indexes of the last segment name records behind the end of its file. */
  private boolean reportCut(Path path, OptionalLong nextBase) {
    SegmentIndex last = lastIndex();
    IndexWitness.OffsetGap gap =
        new IndexWitness.OffsetGap(
            last.baseOffset(), last.nextOffset(), nextBase.orElse(Long.MAX_VALUE));
    OptionalLong named =
        nextBase.isPresent() && gap.startOffset() < gap.endOffset()
            ? IndexWitness.lastOffsetIn(gap, path)
            : OptionalLong.empty();
    named.ifPresent(
        offset ->
            damages.add(
                new Damage(
                    new OffsetRange(gap.startOffset(), gap.endOffset()),
                    path.toString(),
                    last.sizeBytes(),
                    "records up to offset " + offset + ", which its index names",
                    "the end of the file")));
    return named.isPresent();
  }

  private void endSegment(Damage tail, boolean recovers, long endBefore, OptionalLong nextBase) {
    long nextOffset = tail.range().startOffset();
    if (recovers) {
      ended = true;
      cut.add(tail);
      warnings.add(tail + "; the log ends there, as a broker's recovery would leave it");
      return;
    }
    if (tail.position() == 0) {
      // Nothing in the file confirms its name: what is missing may begin where the last one ends.
      nextOffset = Math.min(nextOffset, endBefore);
    }
    // What was on the disk before the last stop had offsets up to the recovery point.
    long lostUpTo = nextBase.orElse(rules.recoveryPoint().orElse(0));
    if (lostUpTo > nextOffset) {
      damages.add(tail.over(new OffsetRange(nextOffset, lostUpTo)));
    } else if (nextBase.isPresent()) {
      warnings.add(tail + "; no offset is missing behind it");
    } else {
      cut.add(tail);
      warnings.add(tail + "; nothing behind it can be read, so the log ends there");
    }
  }

  private LogSnapshot snapshot() throws IOException {
    long firstOffset = segments.isEmpty() ? 0 : segments.get(0).index().baseOffset();
    long logStartOffset = Math.max(rules.logStartOffset().orElse(0), firstOffset);
    reportMissingEnd();
    long logEndOffset = segments.isEmpty() ? 0 : lastIndex().nextOffset();
    for (Damage damage : damages) {
      logEndOffset = Math.max(logEndOffset, damage.range().endOffset());
      warnings.add("damaged: " + damage);
    }
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
        AbortedTransactions.of(
            segments.stream().map(SegmentView::index).toList(),
            ProducerSnapshots.openBefore(directory, firstOffset, logEndOffset),
            damages);
    List<Damage> known = new ArrayList<>(damages);
    known.addAll(cut);
    HeadCut.apply(segments, logStartOffset);
    return new LogSnapshot(segments, logStartOffset, logEndOffset, transactions, known)
        .withCommittedTimelines(rules.memory().preload());
  }

  /**
   * A clean stop leaves a recovery point at the end of the log. A file that was cut between two
   * batches since shows in nothing else.
   */
  private void reportMissingEnd() {
    long recoveryPoint = rules.cleanShutdown() ? rules.recoveryPoint().orElse(0) : 0;
    boolean known =
        !damages.isEmpty() && damages.get(damages.size() - 1).range().endOffset() >= recoveryPoint;
    if (segments.isEmpty() || known || lastIndex().nextOffset() >= recoveryPoint) {
      return;
    }
    SegmentIndex last = lastIndex();
    damages.add(
        new Damage(
            new OffsetRange(last.nextOffset(), recoveryPoint),
            segments.get(segments.size() - 1).file().path().toString(),
            last.sizeBytes(),
            "records up to the recovery point " + recoveryPoint + " of a clean shutdown",
            "the end of the file after offset " + (last.nextOffset() - 1)));
  }

  private SegmentIndex lastIndex() {
    return segments.get(segments.size() - 1).index();
  }
}
