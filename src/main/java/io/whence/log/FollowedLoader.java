package io.whence.log;

import io.whence.log.FollowedState.Poison;
import io.whence.model.OffsetRange;
import io.whence.model.TopicPartition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Opens the segments of a followed log, after an orderly stop or a crash. It is not the only copy:
 * from the first part on that is not as it was written it is cut, since that can be fetched again.
 * Thread safety: single-writer; one a directory.
 */
final class FollowedLoader {
  /** What the names of files end in that count for nothing, and that nobody has open. */
  private static final List<String> LEFTOVERS =
      List.of(SegmentNames.CLEANED, AtomicFile.TEMPORARY_SUFFIX);

  /** Wider gaps between segments are those of offsets, not of files. */
  private static final long LARGEST_LOST_GAP = 1L << 30;

  private final Path directory;
  private final TopicPartition partition;
  private final LogConfig config;
  private final LogEnvironment environment;
  private final List<LogSegment> segments = new ArrayList<>();

  /** Those that snapshots have, by base offset: one file must not be opened as two. */
  private final Map<Long, LogSegment> kept;

  private FollowedState state;

  /** Whether the last segment that was loaded can be appended to. */
  private boolean appendable;

  /** Whether what follows is dropped, since something before it was cut. */
  private boolean cut;

  private FollowedLoader(
      Path directory,
      TopicPartition partition,
      LogConfig config,
      LogEnvironment environment,
      FollowedState state,
      List<LogSegment> kept) {
    this.directory = directory;
    this.partition = partition;
    this.config = config;
    this.environment = environment;
    this.state = state;
    this.kept =
        kept.stream().collect(Collectors.toMap(LogSegment::baseOffset, Function.identity()));
  }

  /**
   * What was loaded.
   *
   * @param state what holds of the log that its segments don't say
   */
  record Loaded(FollowedSegments segments, FollowedState state) {}

  /**
   * Deletes what an earlier process had still to delete. Not to be called while readers of it are
   * about.
   */
  static void deleteLeftovers(Path directory) throws IOException {
    List<Path> leftovers;
    try (Stream<Path> files = Files.list(directory)) {
      leftovers = files.filter(file -> file.toString().endsWith(SegmentNames.DELETED)).toList();
    }
    for (Path leftover : leftovers) {
      Files.deleteIfExists(leftover);
    }
  }

  /**
   * Opens a log; makes an empty one where nothing is left.
   *
   * @param startOffset where an empty one begins
   * @param kept segments that are in use and on disk as they are
   */
  static Loaded load(
      Path directory,
      TopicPartition partition,
      LogConfig config,
      LogEnvironment environment,
      long startOffset,
      List<LogSegment> kept)
      throws IOException {
    FollowedState state = FollowedState.startingAt(startOffset);
    boolean known = false;
    try {
      state = FollowedState.read(directory, nameOf(partition)).orElse(state);
      known = Files.exists(directory.resolve(FollowedState.FILE_NAME));
    } catch (CorruptFileException | IllegalArgumentException e) {
      environment.events().warned(partition, "follows from the beginning, since " + e.getMessage());
    }
    FollowedLoader loader =
        new FollowedLoader(directory, partition, config, environment, state, kept);
    return loader.load(known, startOffset);
  }

  /** Returns how damage of what was fetched is named. */
  static String nameOf(TopicPartition partition) {
    return partition + ", as fetched";
  }

  private Loaded load(boolean known, long startOffset) throws IOException {
    TreeMap<Long, Path> logs = PartitionFiles.cleanAndListLogs(directory, LEFTOVERS, this::warn);
    if (!known) {
      // Damage would look like a gap, and undecided transactions like none.
      dropAll(logs);
    }
    finishTrim(logs);
    for (long baseOffset : List.copyOf(logs.keySet())) {
      Path path = Objects.requireNonNull(logs.get(baseOffset), "a listed file");
      if (cut || !follows(baseOffset)) {
        drop(baseOffset, path);
      } else {
        loadSegment(baseOffset, path, logs);
      }
    }
    dropBelowStart();
    long firstOffset = known ? Math.max(startOffset, state.logStartOffset()) : startOffset;
    if (segments.isEmpty()) {
      state = FollowedState.startingAt(firstOffset);
      // Before a segment: one without it would not be taken for what it is.
      state.write(directory);
    }
    keepConnectedPoison();
    addAppendableSegment(firstOffset);
    FollowedSegments loaded =
        new FollowedSegments(
            directory,
            partition,
            config,
            environment,
            segments,
            state.poison(),
            state.logStartOffset());
    return new Loaded(loaded, state);
  }

  private void dropAll(TreeMap<Long, Path> logs) throws IOException {
    for (Map.Entry<Long, Path> log : logs.descendingMap().entrySet()) {
      drop(log.getKey(), log.getValue());
    }
    logs.clear();
  }

  private void drop(long baseOffset, Path path) throws IOException {
    warn("dropped, to be fetched again: " + path);
    deleteIndexes(baseOffset);
    Files.delete(path);
  }

  private void deleteIndexes(long baseOffset) throws IOException {
    LogSegment.deleteIndexes(directory, baseOffset);
    CommittedFile.delete(directory, baseOffset);
  }

  /** Deletes the segments that a raised log start had still to delete, but never the last one. */
  private void finishTrim(TreeMap<Long, Path> logs) throws IOException {
    while (logs.size() > 1 && logs.higherKey(logs.firstKey()) <= state.logStartOffset()) {
      long baseOffset = logs.firstKey();
      Files.delete(Objects.requireNonNull(logs.remove(baseOffset), "a listed file"));
      deleteIndexes(baseOffset);
    }
  }

  /** A file that is lost leaves a gap between those before and behind. */
  private boolean follows(long baseOffset) {
    long lastEnd = segments.isEmpty() ? 0 : lastEnd();
    long end =
        segments.isEmpty()
            ? state.logStartOffset()
            : FollowedSegments.endOf(lastEnd, state.poison());
    boolean follows =
        baseOffset >= lastEnd && (baseOffset <= end || baseOffset - end >= LARGEST_LOST_GAP);
    cut = !follows;
    return follows;
  }

  private long lastEnd() {
    return segments.get(segments.size() - 1).nextOffset();
  }

  private void loadSegment(long baseOffset, Path path, TreeMap<Long, Path> logs)
      throws IOException {
    Long nextBase = logs.higherKey(baseOffset);
    LogSegment known = kept.get(baseOffset);
    if (known != null) {
      appendable = nextBase == null && !known.isSettled();
      segments.add(known);
      return;
    }
    LoadedSegment loaded = read(path, baseOffset, nextBase == null ? Long.MAX_VALUE : nextBase);
    while (!loaded.damages().isEmpty() || loaded.tail().isPresent()) {
      cutAtFault(loaded, path, baseOffset);
      cut = true;
      loaded = read(path, baseOffset, Long.MAX_VALUE);
    }
    loaded.warnings().forEach(this::warn);
    LogSegment segment = loaded.segment();
    appendable = cut || nextBase == null;
    if (!appendable) {
      segment.settle();
      repairIndexes(segment);
      if (segment.releaseBlocks(environment.memory())) {
        segment.releaseTimeline(environment.memory());
      }
    }
    segments.add(segment);
  }

  private LoadedSegment read(Path path, long baseOffset, long endOffset) throws IOException {
    // A segment is not followed by another before all of it is on disk.
    LoadedSegment.StoredOffsets stored =
        new LoadedSegment.StoredOffsets(Long.MAX_VALUE, state.logStartOffset());
    return LoadedSegment.load(path, baseOffset, endOffset, stored, config, environment);
  }

  private void cutAtFault(LoadedSegment loaded, Path path, long baseOffset) throws IOException {
    Damage fault =
        loaded.damages().isEmpty()
            ? loaded.tail().orElseThrow(() -> new IllegalStateException("no fault"))
            : loaded.damages().get(0);
    warn("cut, to be fetched again: " + fault);
    // Before the log: what it gets next may look like what it had.
    deleteIndexes(baseOffset);
    SegmentFile file = new SegmentFile(path, true, environment.disk(), environment.events());
    file.cutTo(fault.position());
    file.close();
  }

  private void repairIndexes(LogSegment segment) {
    try {
      if (segment.bytesSinceCheckpoint() > 0) {
        segment.file().force();
        KafkaIndexFiles.repair(directory, segment.view().index());
        segment.writeCheckpoint();
      }
    } catch (IOException e) {
      // A full disk, perhaps: nothing that is answered comes from these files.
      warn("could not write indexes: " + e);
    }
  }

  /** What a crash or damage left may lie below the log start altogether. */
  private void dropBelowStart() throws IOException {
    if (!segments.isEmpty()
        && FollowedSegments.endOf(lastEnd(), state.poison()) < state.logStartOffset()) {
      for (LogSegment segment : segments) {
        segment.retire();
        drop(segment.baseOffset(), segment.file().path());
      }
      segments.clear();
    }
  }

  /** Damage behind a part that was lost is found again. */
  private void keepConnectedPoison() {
    long end = segments.isEmpty() ? state.logStartOffset() : lastEnd();
    List<Poison> kept = new ArrayList<>();
    for (Poison each : state.poison()) {
      OffsetRange range = each.damage().range();
      if (range.startOffset() <= end && range.endOffset() > state.logStartOffset()) {
        kept.add(each);
        end = Math.max(end, range.endOffset());
      }
    }
    long known = end;
    List<Damage> unknown =
        state.unknown().stream()
            .filter(each -> each.range().startOffset() < known)
            .filter(each -> each.range().endOffset() > state.logStartOffset())
            .toList();
    state = state.with(kept, unknown);
    if (end < state.endOffset() && !segments.isEmpty()) {
      state = state.undecided(segments.get(0).baseOffset());
    }
  }

  private void addAppendableSegment(long firstOffset) throws IOException {
    if (segments.isEmpty()) {
      segments.add(LogSegment.create(directory, firstOffset, config, environment));
    } else if (!appendable) {
      long end = FollowedSegments.endOf(lastEnd(), state.poison());
      segments.add(LogSegment.create(directory, end, config, environment));
    }
  }

  private void warn(String warning) {
    environment.events().warned(partition, warning);
  }
}
