package io.whence.source.archive;

import io.whence.model.ErrorReason;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Loads all partitions of an archive, each as a task of its own. Thread safety: thread-safe. */
final class ArchiveLoad {
  private final String source;
  private final ArchiveOptions options;
  private final ArchiveProgress progress;
  private final Map<TopicPartition, List<LogDirectory>> holders = new TreeMap<>(LogDirectory.ORDER);
  private final AtomicInteger loadedCount = new AtomicInteger();

  ArchiveLoad(
      String source,
      List<LogDirectory> directories,
      ArchiveOptions options,
      ArchiveProgress progress) {
    this.source = source;
    this.options = options;
    this.progress = progress;
    for (LogDirectory directory : directories) {
      for (TopicPartition partition : directory.partitions().keySet()) {
        holders.computeIfAbsent(partition, of -> new ArrayList<>()).add(directory);
      }
    }
  }

  int partitionCount() {
    return holders.size();
  }

  /** Starts loading; completes when all partitions are loaded or have failed. */
  CompletableFuture<ArchivedTopics> start(Executor executor) {
    List<CompletableFuture<ArchivedPartition>> tasks = new ArrayList<>();
    holders.forEach(
        (partition, in) ->
            tasks.add(CompletableFuture.supplyAsync(() -> load(partition, in), executor)));
    return CompletableFuture.allOf(tasks.toArray(new CompletableFuture<?>[0]))
        .thenApply(
            all ->
                new ArchivedTopics(source, tasks.stream().map(CompletableFuture::join).toList()));
  }

  private ArchivedPartition load(TopicPartition partition, List<LogDirectory> in) {
    ArchivedPartition result =
        in.size() == 1
            ? loadFrom(in.get(0), partition)
            : ArchivedPartition.failed(partition, ambiguous(partition, in));
    if (result.failure() != null) {
      progress.failed(partition, result.failure());
    }
    progress.loaded(partition, loadedCount.incrementAndGet(), holders.size());
    return result;
  }

  private ArchivedPartition loadFrom(LogDirectory directory, TopicPartition partition) {
    @Nullable Path cache =
        options
            .cache()
            .map(root -> IndexCacheDirectory.of(root, directory.path(), partition))
            .orElse(null);
    return ArchivedPartition.load(
        partition,
        directory.path().resolve(partition.toString()),
        directory.rules(partition, options, cache));
  }

  private static WhenceException ambiguous(TopicPartition partition, List<LogDirectory> in) {
    List<Path> paths =
        in.stream().map(directory -> directory.path().resolve(partition.toString())).toList();
    return WhenceException.of(
        ErrorReason.DAMAGED_LOG,
        partition
            + ": expected in one log directory, found in several: "
            + paths
            + "; remove all but one",
        "path",
        paths.get(0),
        "expected",
        "one directory",
        "found",
        paths);
  }
}
