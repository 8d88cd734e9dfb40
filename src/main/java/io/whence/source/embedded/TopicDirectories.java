package io.whence.source.embedded;

import io.whence.log.DataDirectory;
import io.whence.log.LogConfig;
import io.whence.log.LogEnvironment;
import io.whence.log.PartitionLog;
import io.whence.log.PartitionLogLoader;
import io.whence.log.PartitionMetadataFile;
import io.whence.log.TopicsFile;
import io.whence.model.TopicPartition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Makes, opens and removes the directories of topics. Thread safety: thread-safe. */
final class TopicDirectories {
  private final DataDirectory data;
  private final LogEnvironment environment;

  TopicDirectories(DataDirectory data, LogEnvironment environment) {
    this.data = data;
    this.environment = environment;
  }

  /** Opens all logs of a topic; makes what is missing. */
  EmbeddedTopic open(TopicsFile.Entry entry) throws IOException {
    LogConfig config = LogConfig.of(entry.config());
    List<PartitionLog> logs = new ArrayList<>(entry.partitionCount());
    for (int partition = 0; partition < entry.partitionCount(); partition++) {
      logs.add(openLog(entry, new TopicPartition(entry.name(), partition), config));
    }
    return new EmbeddedTopic(entry, config, logs);
  }

  private PartitionLog openLog(TopicsFile.Entry entry, TopicPartition partition, LogConfig config)
      throws IOException {
    Path directory = data.partitionPath(partition);
    Files.createDirectories(directory);
    PartitionMetadataFile metadata =
        new PartitionMetadataFile(directory.resolve(PartitionMetadataFile.FILE_NAME));
    if (metadata.read().isEmpty()) {
      metadata.write(entry.id());
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
    for (Path directory : directoriesOf(entry)) {
      try (Stream<Path> files = Files.walk(directory)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.deleteIfExists(file);
        }
      }
    }
  }

  private List<Path> directoriesOf(TopicsFile.Entry entry) throws IOException {
    List<Path> found = new ArrayList<>();
    try (Stream<Path> directories = Files.list(data.path())) {
      for (Path directory : directories.filter(Files::isDirectory).toList()) {
        if (isOf(entry, directory)) {
          found.add(directory);
        }
      }
    }
    return found;
  }

  /** The name alone won't do: a topic of the same name may have been made since. */
  private static boolean isOf(TopicsFile.Entry entry, Path directory) throws IOException {
    String name = String.valueOf(directory.getFileName());
    return name.startsWith(entry.name() + "-")
        && new PartitionMetadataFile(directory.resolve(PartitionMetadataFile.FILE_NAME))
            .read()
            .filter(entry.id()::equals)
            .isPresent();
  }

  /**
   * Returns the partition directories that no topic has: left of a creation that did not finish.
   */
  List<Path> unknown(Set<TopicPartition> known) throws IOException {
    Set<String> names = Set.copyOf(known.stream().map(TopicPartition::toString).toList());
    try (Stream<Path> directories = Files.list(data.path())) {
      return directories
          .filter(Files::isDirectory)
          .filter(directory -> !names.contains(String.valueOf(directory.getFileName())))
          .toList();
    }
  }
}
