package io.whence.source.archive;

import io.whence.log.ArchiveRules;
import io.whence.log.ArchivedLog;
import io.whence.log.CorruptFileException;
import io.whence.log.LogSnapshot;
import io.whence.log.PartitionMetadataFile;
import io.whence.model.ErrorReason;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What came of loading one partition: its log, or why there is none. Thread safety: immutable.
 *
 * @param partition which one
 * @param topicId the id of its topic; null when the directory does not say
 * @param log its log; null if it failed
 * @param failure what every lookup in it fails with; null if it was loaded
 * @param warnings what the operator should know
 */
record ArchivedPartition(
    TopicPartition partition,
    @Nullable TopicId topicId,
    @Nullable LogSnapshot log,
    @Nullable WhenceException failure,
    List<String> warnings) {

  /** Loads a partition. Everything that is wrong with it becomes its failure. */
  static ArchivedPartition load(TopicPartition partition, Path directory, ArchiveRules rules) {
    List<String> warnings = new ArrayList<>();
    TopicId topicId = topicIdIn(directory, warnings);
    try {
      ArchivedLog.Loaded loaded = ArchivedLog.load(directory, rules);
      warnings.addAll(loaded.warnings());
      return new ArchivedPartition(partition, topicId, loaded.log(), null, List.copyOf(warnings));
    } catch (WhenceException e) {
      return failed(partition, topicId, e, warnings);
    } catch (IOException e) {
      return failed(partition, topicId, unreadable(directory, e), warnings);
    } catch (RuntimeException e) {
      // Whatever a broken file sets off here, the other partitions are served.
      String message = "could not load the log in " + directory + ": " + e;
      WhenceException failure =
          WhenceException.causedBy(e, ErrorReason.INTERNAL, message, "path", directory);
      return failed(partition, topicId, failure, warnings);
    }
  }

  /** Makes a partition that can't be served. */
  static ArchivedPartition failed(TopicPartition partition, WhenceException failure) {
    return failed(partition, null, failure, new ArrayList<>());
  }

  private static ArchivedPartition failed(
      TopicPartition partition,
      @Nullable TopicId topicId,
      WhenceException failure,
      List<String> warnings) {
    warnings.add(partition + ": not served: " + failure.getMessage());
    return new ArchivedPartition(partition, topicId, null, failure, List.copyOf(warnings));
  }

  private static WhenceException unreadable(Path directory, IOException e) {
    return WhenceException.causedBy(
        e,
        ErrorReason.STORAGE_ERROR,
        "could not read the log in " + directory + ": " + e,
        "path",
        directory);
  }

  private static @Nullable TopicId topicIdIn(Path directory, List<String> warnings) {
    try {
      Optional<TopicId> id =
          new PartitionMetadataFile(directory.resolve(PartitionMetadataFile.FILE_NAME)).read();
      return id.orElse(null);
    } catch (CorruptFileException | IOException e) {
      warnings.add(e.getMessage() + "; the topic is served without an id");
      return null;
    }
  }

  /** Returns the log, or throws the failure. */
  LogSnapshot orThrow() {
    if (log != null) {
      return log;
    }
    if (failure != null) {
      throw failure;
    }
    throw new IllegalStateException(partition + " has neither a log nor a failure");
  }
}
