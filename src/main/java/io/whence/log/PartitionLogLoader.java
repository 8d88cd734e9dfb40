package io.whence.log;

import io.whence.model.OffsetRange;
import io.whence.model.TopicPartition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Opens the log of a partition that this server owns, after an orderly stop or a crash. Reads again
 * only what a crash can have damaged: bytes behind the last checkpoint of an index. What was never
 * acknowledged is cut off; damage to what was is kept, reported, and passed over. Thread safety:
 * single-writer; one a partition.
 */
public final class PartitionLogLoader {
  /** What the names of files end in that count for nothing. */
  private static final List<String> LEFTOVERS =
      List.of(SegmentNames.DELETED, SegmentNames.CLEANED, AtomicFile.TEMPORARY_SUFFIX);

  private final Path directory;
  private final TopicPartition partition;
  private final LogConfig config;
  private final LogEnvironment environment;
  private final long recoveryPoint;
  private final List<LogSegment> segments = new ArrayList<>();
  private final List<Damage> damages = new ArrayList<>();

  /** The last segment so far: whether it is the one to append to, only those behind it tell. */
  private Optional<Unfinished> unfinished = Optional.empty();

  /**
   * A segment that was read.
   *
   * @param acknowledgedEnd up to where it must go if others follow, exclusive
   */
  private record Unfinished(LoadedSegment loaded, long acknowledgedEnd) {}

  private PartitionLogLoader(
      Path directory,
      TopicPartition partition,
      LogConfig config,
      LogEnvironment environment,
      long recoveryPoint) {
    this.directory = directory;
    this.partition = partition;
    this.config = config;
    this.environment = environment;
    this.recoveryPoint = recoveryPoint;
  }

  /**
   * Opens a log; makes an empty one in an empty directory.
   *
   * @param recoveryPoint everything below was acknowledged, as far as is known; exclusive
   * @param logStartOffset the log start offset as it was stored; 0 for none
   */
  public static PartitionLog open(
      Path directory,
      TopicPartition partition,
      LogConfig config,
      LogEnvironment environment,
      long recoveryPoint,
      long logStartOffset)
      throws IOException {
    PartitionLogLoader loader =
        new PartitionLogLoader(directory, partition, config, environment, recoveryPoint);
    return new PartitionLog(directory, partition, config, environment, loader.load(logStartOffset));
  }

  private LoadedSegments load(long storedStartOffset) throws IOException {
    TreeMap<Long, Path> logs = PartitionFiles.cleanAndListLogs(directory, LEFTOVERS, this::warn);
    finishTrim(logs, storedStartOffset);
    for (long baseOffset : List.copyOf(logs.keySet())) {
      loadSegment(baseOffset, logs, storedStartOffset);
    }
    if (unfinished.isPresent()) {
      finish(unfinished.get().loaded(), recoveryPoint, storedStartOffset);
    }
    long firstOffset = segments.isEmpty() ? 0 : segments.get(0).baseOffset();
    long logStartOffset = Math.max(storedStartOffset, firstOffset);
    addAppendableSegment(logStartOffset);
    damages.removeIf(damage -> damage.range().endOffset() <= logStartOffset);
    for (Damage damage : damages) {
      warn("damaged: " + damage);
    }
    writeEpochs();
    return new LoadedSegments(segments, damages, logStartOffset);
  }

  /** Deletes the segments that a trim had still to delete, but never the last one. */
  private void finishTrim(TreeMap<Long, Path> logs, long logStartOffset) throws IOException {
    while (logs.size() > 1 && logs.higherKey(logs.firstKey()) <= logStartOffset) {
      long baseOffset = logs.firstKey();
      Files.delete(Objects.requireNonNull(logs.remove(baseOffset), "a listed file"));
      LogSegment.deleteIndexes(directory, baseOffset);
    }
  }

  private void loadSegment(long baseOffset, NavigableMap<Long, Path> logs, long logStartOffset)
      throws IOException {
    Path path = Objects.requireNonNull(logs.get(baseOffset), "a listed file");
    long end = segments.isEmpty() ? 0 : segments.get(segments.size() - 1).nextOffset();
    if (baseOffset < end) {
      removeOverlap(path, baseOffset, end);
      return;
    }
    Long nextBase = nextBase(baseOffset, logs);
    LoadedSegment loaded =
        LoadedSegment.load(
            path,
            baseOffset,
            nextBase == null ? Long.MAX_VALUE : nextBase,
            new LoadedSegment.StoredOffsets(recoveryPoint, logStartOffset),
            config,
            environment);
    if (unfinished.isPresent()) {
      finishSealed(unfinished.get(), logStartOffset);
    }
    unfinished = Optional.of(new Unfinished(loaded, nextBase == null ? recoveryPoint : nextBase));
    segments.add(loaded.segment());
    loaded.warnings().forEach(this::warn);
  }

  /** Finishes a segment that is no longer appended to. */
  private void finishSealed(Unfinished sealed, long logStartOffset) throws IOException {
    finish(sealed.loaded(), sealed.acknowledgedEnd(), logStartOffset);
    LogSegment segment = sealed.loaded().segment();
    segment.settle();
    repairIndexes(segment);
    if (segment.releaseBlocks(environment.memory())) {
      segment.releaseTimeline(environment.memory());
    }
  }

  /** Empty segments that are not the last do not count: they may overlap. */
  private static @Nullable Long nextBase(long baseOffset, NavigableMap<Long, Path> logs)
      throws IOException {
    Long next = logs.higherKey(baseOffset);
    while (next != null
        && logs.higherKey(next) != null
        && Files.size(Objects.requireNonNull(logs.get(next), "a listed file")) == 0) {
      next = logs.higherKey(next);
    }
    return next;
  }

  /** An empty segment that overlaps is what a roll left behind that failed. */
  private void removeOverlap(Path path, long baseOffset, long end) throws IOException {
    if (Files.size(path) > 0) {
      throw new CorruptFileException(
          path,
          "its name",
          "a base offset of at least " + end + ", where the segment before ends",
          "base offset " + baseOffset);
    }
    Files.delete(path);
    LogSegment.deleteIndexes(directory, baseOffset);
    warn("deleted, since it is empty and the segment before goes beyond its beginning: " + path);
  }

  /**
   * Cuts off or reports what lies behind the last whole batch.
   *
   * @param acknowledgedEnd up to where the segment must go, since that was acknowledged; exclusive
   */
  private void finish(LoadedSegment loaded, long acknowledgedEnd, long logStartOffset)
      throws IOException {
    LogSegment segment = loaded.segment();
    damages.addAll(loaded.damages());
    if (acknowledgedEnd > Math.max(segment.nextOffset(), logStartOffset)) {
      damages.add(missing(loaded, acknowledgedEnd));
    } else if (loaded.tail().isPresent()) {
      warn("cut off what a crash left behind the last whole batch: " + loaded.tail().get());
      segment.file().cutTo(segment.sizeBytes());
    }
    if (segment.bytesSinceCheckpoint() > 0) {
      // Written before the crash, and perhaps not yet on disk; from now on it is published.
      segment.file().force();
    }
  }

  private static Damage missing(LoadedSegment loaded, long acknowledgedEnd) {
    LogSegment segment = loaded.segment();
    OffsetRange range = new OffsetRange(segment.nextOffset(), acknowledgedEnd);
    return loaded
        .tail()
        .map(t -> new Damage(range, t.path(), t.position(), t.expected(), t.found()))
        .orElseGet(
            () ->
                new Damage(
                    range,
                    segment.file().path().toString(),
                    segment.sizeBytes(),
                    "batches up to offset " + (acknowledgedEnd - 1),
                    "the end of the file"));
  }

  private void repairIndexes(LogSegment segment) {
    try {
      if (segment.nextOffset() > recoveryPoint || segment.bytesSinceCheckpoint() > 0) {
        // What ended below was sealed before the last stop, or long before: no crash can harm it.
        for (Path wrong : KafkaIndexFiles.repair(directory, segment.view().index())) {
          warn("rebuilt from the log, it was not as written: " + wrong);
        }
      }
      if (segment.bytesSinceCheckpoint() > 0) {
        segment.writeCheckpoint();
      }
    } catch (IOException e) {
      // A full disk, perhaps: nothing that is answered comes from these files.
      warn("could not write indexes: " + e);
    }
  }

  /** Makes sure that there is a segment to append to, behind everything that was acknowledged. */
  private void addAppendableSegment(long logStartOffset) throws IOException {
    long end = segments.isEmpty() ? 0 : segments.get(segments.size() - 1).nextOffset();
    TreeSet<Long> ends = new TreeSet<>(List.of(end, logStartOffset));
    damages.forEach(damage -> ends.add(damage.range().endOffset()));
    if (end < logStartOffset && !segments.isEmpty()) {
      warn("the log ends at " + end + ", below its start " + logStartOffset + "; goes on there");
    }
    if (segments.isEmpty() || ends.last() > end) {
      segments.add(LogSegment.create(directory, ends.last(), config, environment));
    }
  }

  /** Kafka has no epoch of a log without a batch, either. */
  private void writeEpochs() {
    if (segments.stream().allMatch(LogSegment::isEmpty)) {
      return;
    }
    LeaderEpochCheckpoint epochs =
        new LeaderEpochCheckpoint(directory.resolve(LeaderEpochCheckpoint.FILE_NAME));
    try {
      if (readEpochs(epochs).isEmpty()) {
        epochs.write(
            List.of(new EpochEntry(PartitionLog.LEADER_EPOCH, segments.get(0).baseOffset())));
      }
    } catch (IOException e) {
      // A full disk, perhaps: nothing that is answered comes from it, and the close tries again.
      warn("could not write the leader epoch: " + e);
    }
  }

  private Optional<EpochEntry> readEpochs(LeaderEpochCheckpoint epochs) throws IOException {
    try {
      return epochs.read().stream().findFirst();
    } catch (CorruptFileException e) {
      warn("rebuilt: " + e.getMessage());
      return Optional.empty();
    }
  }

  private void warn(String warning) {
    environment.events().warned(partition, warning);
  }
}
