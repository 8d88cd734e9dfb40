package io.whence.source.embedded;

import io.whence.log.DataDirectory;
import io.whence.log.LogConfig;
import io.whence.log.LogEnvironment;
import io.whence.log.PartitionLog;
import io.whence.log.PartitionLogLoader;
import io.whence.log.PartitionMetadataFile;
import io.whence.log.TopicsFile;
import io.whence.model.TopicId;
import io.whence.model.TopicName;
import io.whence.model.TopicPartition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Makes, opens and removes the directories of topics. Thread safety: thread-safe. */
final class TopicDirectories {
  private final DataDirectory data;
  private final LogEnvironment environment;
  private final Executor opener;

  TopicDirectories(DataDirectory data, LogEnvironment environment, Executor opener) {
    this.data = data;
    this.environment = environment;
    this.opener = opener;
  }

  /** Makes the directories of a new topic; leaves nothing behind when it fails. */
  EmbeddedTopic create(TopicsFile.Entry entry) throws IOException {
    List<TopicPartition> partitions = partitions(entry);
    for (TopicPartition partition : partitions) {
      makeRoom(data.partitionPath(partition));
    }
    data.forget(partitions);
    try {
      return open(entry);
    } catch (IOException | RuntimeException e) {
      discard(partitions, e);
      throw e;
    }
  }

  private static void makeRoom(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return;
    }
    if (!EmptyPartition.isAt(directory)) {
      throw new IOException(
          directory + ": holds records, but of no topic that exists; move it out of the way");
    }
    delete(directory);
  }

  private void discard(List<TopicPartition> partitions, Exception cause) {
    try {
      for (TopicPartition partition : partitions) {
        delete(data.partitionPath(partition));
      }
    } catch (IOException e) {
      cause.addSuppressed(e); // Empty, so the next start deletes it.
    }
  }

  /** Opens all logs of a topic; makes what is missing. */
  EmbeddedTopic open(TopicsFile.Entry entry) throws IOException {
    LogConfig config = configOf(entry);
    Map<Integer, PartitionLog> logs = new ConcurrentSkipListMap<>();
    try {
      InParallel.forEach(
          partitions(entry),
          opener,
          partition -> logs.put(partition.partition(), openLog(entry, partition, config)));
    } catch (IOException | RuntimeException e) {
      for (PartitionLog log : logs.values()) {
        log.abandon();
      }
      throw e;
    }
    return new EmbeddedTopic(entry, config, List.copyOf(logs.values()));
  }

  /** What the server writes for itself can't always be split. */
  private static LogConfig configOf(TopicsFile.Entry entry) {
    LogConfig config = LogConfig.of(entry.config());
    return TopicName.isInternal(entry.name()) ? config.withLargeBatches() : config;
  }

  private PartitionLog openLog(TopicsFile.Entry entry, TopicPartition partition, LogConfig config)
      throws IOException {
    Path directory = data.partitionPath(partition);
    Files.createDirectories(directory);
    Path file = directory.resolve(PartitionMetadataFile.FILE_NAME);
    PartitionMetadataFile metadata = new PartitionMetadataFile(file);
    Optional<TopicId> found = metadata.read();
    if (found.isEmpty()) {
      metadata.write(entry.id());
    } else if (!found.get().equals(entry.id())) {
      throw new IOException(
          file
              + ": expected the topic id "
              + entry.id()
              + ", as in the file "
              + TopicsFile.FILE_NAME
              + ", found "
              + found.get());
    }
    return PartitionLogLoader.open(
        directory,
        partition,
        config,
        environment,
        data.recoveryPoint(partition),
        data.logStartOffset(partition));
  }

  /** Removes the directories of a topic that is gone; does nothing for those that are gone. */
  void remove(TopicsFile.Entry entry) throws IOException {
    List<TopicPartition> forgotten = new ArrayList<>();
    for (Path directory : partitionDirectories()) {
      if (isOf(entry, directory)) {
        String number = fileName(directory).substring(entry.name().length() + 1);
        forgotten.add(new TopicPartition(entry.name(), Integer.parseInt(number)));
      }
    }
    // First, or a new topic of this name could begin where this one was trimmed.
    data.forget(forgotten);
    for (TopicPartition partition : forgotten) {
      delete(data.partitionPath(partition));
    }
  }

  /** The name alone won't do: a topic of the same name may have been made since. */
  private static boolean isOf(TopicsFile.Entry entry, Path directory) throws IOException {
    return EmptyPartition.topicOf(fileName(directory)).filter(entry.name()::equals).isPresent()
        && new PartitionMetadataFile(directory.resolve(PartitionMetadataFile.FILE_NAME))
            .read()
            .filter(entry.id()::equals)
            .isPresent();
  }

  /** Deletes a directory; what says whose it is goes last, so that a crash leaves no riddle. */
  private static void delete(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      return;
    }
    List<Path> files;
    try (Stream<Path> listed = Files.list(directory)) {
      files = listed.toList();
    }
    Path last = directory.resolve(PartitionMetadataFile.FILE_NAME);
    for (Path file : files) {
      if (!file.equals(last)) {
        Files.deleteIfExists(file);
      }
    }
    Files.deleteIfExists(last);
    Files.deleteIfExists(directory);
  }

  /**
   * Deletes the partition directories of creations that did not finish.
   *
   * @param known the partitions that there are
   * @return the other directories that no topic has; they may hold records, and are left alone
   */
  List<Path> cleanUnknown(Set<TopicPartition> known) throws IOException {
    Set<String> names =
        known.stream().map(TopicPartition::toString).collect(Collectors.toUnmodifiableSet());
    List<Path> left = new ArrayList<>();
    for (Path directory : partitionDirectories()) {
      if (names.contains(fileName(directory))) {
        continue;
      }
      if (EmptyPartition.isAt(directory)) {
        delete(directory);
      } else {
        left.add(directory);
      }
    }
    return left;
  }

  private List<Path> partitionDirectories() throws IOException {
    try (Stream<Path> directories = Files.list(data.path())) {
      return directories.filter(Files::isDirectory).sorted().toList();
    }
  }

  private static List<TopicPartition> partitions(TopicsFile.Entry entry) {
    return IntStream.range(0, entry.partitionCount())
        .mapToObj(partition -> new TopicPartition(entry.name(), partition))
        .toList();
  }

  private static String fileName(Path path) {
    return String.valueOf(path.getFileName());
  }
}
