package io.whence.source.archive;

import io.whence.log.ArchiveRules;
import io.whence.log.CleanShutdownMarker;
import io.whence.log.CorruptFileException;
import io.whence.log.OffsetCheckpoint;
import io.whence.model.TopicPartition;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One log directory of an archive: its partitions, and what its checkpoint files say of them. Each
 * log directory of a broker has its own. Thread safety: immutable.
 */
final class LogDirectory {
  /** By topic, then by number. */
  static final Comparator<TopicPartition> ORDER =
      Comparator.comparing(TopicPartition::topic).thenComparingInt(TopicPartition::partition);

  /** The log of the cluster itself; no topic, and brokers don't load it as one either. */
  private static final String CLUSTER_METADATA = "__cluster_metadata";

  /** Where brokers keep indexes of tiered segments. */
  private static final String REMOTE_INDEX_CACHE = "remote-log-index-cache";

  private static final List<String> KNOWN_FILES =
      List.of(
          "meta.properties",
          CleanShutdownMarker.FILE_NAME,
          OffsetCheckpoint.RECOVERY_POINT,
          OffsetCheckpoint.HIGH_WATERMARK);

  private final Path path;
  private final Map<TopicPartition, Path> partitions = new TreeMap<>(ORDER);
  private final List<String> warnings = new ArrayList<>();
  private final boolean cleanShutdown;
  private final Map<TopicPartition, Long> recoveryPoints;
  private final Map<TopicPartition, Long> logStartOffsets;

  private LogDirectory(Path path, Pattern topics) {
    this.path = path;
    list(topics);
    cleanShutdown = new CleanShutdownMarker(path).exists();
    recoveryPoints = read(OffsetCheckpoint.RECOVERY_POINT, "the whole log is checked");
    logStartOffsets =
        read(OffsetCheckpoint.LOG_START_OFFSET, "logs start where their first segments do");
  }

  /**
   * Lists a log directory and reads its checkpoint files.
   *
   * @param topics which topics count
   * @throws IllegalArgumentException if it can't be a log directory; names the path and why
   */
  static LogDirectory open(Path path, Pattern topics) {
    if (!Files.exists(path)) {
      throw refused(path, "does not exist", null);
    }
    if (!Files.isDirectory(path)) {
      throw refused(path, "is not a directory", null);
    }
    return new LogDirectory(path, topics);
  }

  private void list(Pattern topics) {
    boolean known = false;
    boolean segments = false;
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(path)) {
      for (Path entry : entries) {
        String name = String.valueOf(entry.getFileName());
        known |= KNOWN_FILES.contains(name);
        segments |= name.endsWith(".log") || name.endsWith(".timeindex");
        if (Files.isDirectory(entry)) {
          known |= addDirectory(entry, name, topics);
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      throw refused(path, "can't be listed (" + e + ")", e);
    }
    if (!known) {
      throw refused(
          path,
          segments
              ? "is the directory of a partition; give the one that it lies in"
              : "holds neither meta.properties nor partitions (<topic>-<number>)",
          null);
    }
  }

  /** Returns whether only a log directory has such a directory. */
  private boolean addDirectory(Path directory, String name, Pattern topics) {
    if (name.equals(REMOTE_INDEX_CACHE)) {
      return true;
    }
    Optional<String> notServed = PartitionName.notServedSuffix(name);
    if (notServed.isPresent()) {
      warnings.add(directory + ": ignored, as the suffix " + notServed.get() + " demands");
      return true;
    }
    Optional<TopicPartition> partition = PartitionName.parse(name);
    if (partition.isEmpty()) {
      warnings.add(directory + ": ignored, it is not named <topic>-<partition>");
      return false;
    }
    String topic = partition.get().topic();
    if (!topic.equals(CLUSTER_METADATA) && topics.matcher(topic).matches()) {
      partitions.put(partition.get(), directory);
    }
    return true;
  }

  /** Reads a checkpoint file; a broker, too, goes on without one that is malformed. */
  private Map<TopicPartition, Long> read(String name, String otherwise) {
    try {
      return new OffsetCheckpoint(path.resolve(name)).read();
    } catch (CorruptFileException | IOException e) {
      warnings.add(e.getMessage() + "; ignored as a whole: " + otherwise);
      return Map.of();
    }
  }

  private static IllegalArgumentException refused(
      Path path, String reason, @Nullable Throwable cause) {
    return new IllegalArgumentException(
        "archive directory "
            + path
            + ": "
            + reason
            + "; expected a log directory (log.dirs) of a broker that is not running, or a copy",
        cause);
  }

  Path path() {
    return path;
  }

  /** Returns the directories of the partitions, by topic and number. */
  Map<TopicPartition, Path> partitions() {
    return partitions;
  }

  List<String> warnings() {
    return warnings;
  }

  /**
   * Returns how to read the log of a partition.
   *
   * @param cacheDirectory where its indexes are kept; null for nowhere
   */
  ArchiveRules rules(
      TopicPartition partition, ArchiveOptions options, @Nullable Path cacheDirectory) {
    return new ArchiveRules(
        cleanShutdown,
        logStartOffsets.get(partition),
        recoveryPoints.get(partition),
        options.salvage(),
        cacheDirectory,
        options.memory(),
        options.events());
  }
}
