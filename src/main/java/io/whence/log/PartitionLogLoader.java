package io.whence.log;

import io.whence.model.OffsetRange;
import io.whence.model.TopicPartition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Opens the log of a partition that this server owns, after an orderly stop or a crash. Reads again
 * only what a crash can have damaged: bytes behind the last checkpoint of an index. What was never
 * acknowledged is cut off; damage to what was is kept, reported, and passed over. Thread safety:
 * single-writer; one a partition.
 */
public final class PartitionLogLoader {
  private final Path directory;
  private final TopicPartition partition;
  private final LogConfig config;
  private final LogEnvironment environment;
  private final long recoveryPoint;
  private final List<LogSegment> segments = new ArrayList<>();
  private final List<Damage> damages = new ArrayList<>();

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
    TreeMap<Long, Path> logs = cleanAndListLogs();
    for (Map.Entry<Long, Path> log : logs.entrySet()) {
      loadSegment(log.getKey(), log.getValue(), logs.higherKey(log.getKey()));
    }
    long logStartOffset =
        Math.max(storedStartOffset, segments.isEmpty() ? 0 : segments.get(0).baseOffset());
    appendableSegment(logStartOffset);
    for (Damage damage : damages) {
      environment.events().warned(partition, "damaged: " + damage);
    }
    LeaderEpochCheckpoint epochs =
        new LeaderEpochCheckpoint(directory.resolve(LeaderEpochCheckpoint.FILE_NAME));
    if (epochs.read().isEmpty()) {
      epochs.write(
          List.of(new EpochEntry(PartitionLog.LEADER_EPOCH, segments.get(0).baseOffset())));
    }
    return new LoadedSegments(segments, damages, logStartOffset);
  }

  /** Deletes what a crash left of removals and of writes of other files. */
  private TreeMap<Long, Path> cleanAndListLogs() throws IOException {
    TreeMap<Long, Path> logs = new TreeMap<>();
    List<Path> leftovers = new ArrayList<>();
    try (Stream<Path> files = Files.list(directory)) {
      files.forEach(
          file -> {
            String name = String.valueOf(file.getFileName());
            SegmentNames.baseOffset(name, SegmentNames.LOG).ifPresent(base -> logs.put(base, file));
            if (name.endsWith(SegmentNames.DELETED) || name.endsWith(AtomicFile.TEMPORARY_SUFFIX)) {
              leftovers.add(file);
            }
          });
    }
    for (Path leftover : leftovers) {
      Files.deleteIfExists(leftover);
    }
    return logs;
  }

  private void loadSegment(long baseOffset, Path path, @Nullable Long nextBaseOffset)
      throws IOException {
    SegmentFile file = new SegmentFile(path, true);
    long size = Files.size(path);
    int interval = config.size(LogSetting.INDEX_INTERVAL_BYTES);
    Path indexPath = SegmentNames.path(directory, baseOffset, BlockIndexFile.SUFFIX);
    Optional<SegmentIndex> known =
        BlockIndexFile.read(indexPath, baseOffset, interval)
            .filter(index -> index.baseOffset() == baseOffset && index.sizeBytes() <= size);
    SegmentIndexBuilder builder =
        known
            .map(index -> SegmentIndexBuilder.resume(index, interval))
            .orElseGet(() -> new SegmentIndexBuilder(baseOffset, interval));
    SegmentScanner.Result result =
        new SegmentScanner(file, size, builder, SegmentScanner.OnFault.SKIP).scan();
    LogSegment segment =
        new LogSegment(
            directory,
            file,
            builder,
            environment.clock().millis(),
            known.map(SegmentIndex::sizeBytes).orElse(0));
    damages.addAll(result.damages());
    if (result.tail().isPresent()) {
      handleTail(segment, result.tail().get(), nextBaseOffset);
    } else if (nextBaseOffset != null) {
      repairIndexes(segment, result);
    }
    segments.add(segment);
  }

  private void handleTail(LogSegment segment, Damage tail, @Nullable Long nextBaseOffset)
      throws IOException {
    long lostUpTo = nextBaseOffset == null ? recoveryPoint : nextBaseOffset;
    if (lostUpTo > segment.nextOffset()) {
      damages.add(
          new Damage(
              new OffsetRange(segment.nextOffset(), lostUpTo),
              tail.path(),
              tail.position(),
              tail.expected(),
              tail.found()));
      return;
    }
    environment
        .events()
        .warned(partition, "cut off what a crash left behind the last whole batch: " + tail);
    segment.file().truncate(segment.sizeBytes());
    segment.file().force();
  }

  private void repairIndexes(LogSegment segment, SegmentScanner.Result result) throws IOException {
    SegmentIndex index = segment.view().index();
    for (Path wrong : KafkaIndexFiles.repair(directory, index)) {
      environment
          .events()
          .warned(partition, "rebuilt from the log, it was not as written: " + wrong);
    }
    if (result.damages().isEmpty() && segment.bytesSinceCheckpoint() != 0) {
      segment.writeCheckpoint();
    }
  }

  /** Makes sure that there is a segment to append to, behind everything that was acknowledged. */
  private void appendableSegment(long logStartOffset) throws IOException {
    long end = segments.isEmpty() ? 0 : segments.get(segments.size() - 1).nextOffset();
    TreeSet<Long> ends = new TreeSet<>(List.of(end, logStartOffset));
    damages.forEach(damage -> ends.add(damage.range().endOffset()));
    if (end < logStartOffset && !segments.isEmpty()) {
      environment
          .events()
          .warned(
              partition,
              "the log ends at " + end + ", below its start " + logStartOffset + "; goes on there");
    }
    if (segments.isEmpty() || ends.last() > end) {
      segments.add(LogSegment.create(directory, ends.last(), config, environment.clock().millis()));
    }
  }
}
