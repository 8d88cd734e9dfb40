package io.whence.source.archive;

import io.whence.log.PreloadSource;
import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import io.whence.source.LogSource;
import io.whence.source.PartitionLogs;
import io.whence.source.SourceKind;
import io.whence.source.TopicInfo;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The log directories of a Kafka broker, as they were found. Invariant: nothing in them is ever
 * changed (I7). A partition that can't be read fails alone. Thread safety: thread-safe.
 */
public final class ArchiveSource implements LogSource, PreloadSource {
  private final String name;
  private final ArchiveOptions options;
  private final InstantSource clock;
  private final List<LogDirectory> directories;
  private final long openedAtMs;
  private final AtomicBoolean loading = new AtomicBoolean();

  private volatile @Nullable ArchivedTopics topics;

  private ArchiveSource(
      String name, ArchiveOptions options, InstantSource clock, List<LogDirectory> directories) {
    this.name = name;
    this.options = options;
    this.clock = clock;
    this.directories = List.copyOf(directories);
    this.openedAtMs = clock.millis();
  }

  /**
   * Opens an archive: lists its directories and reads their checkpoint files, no log yet.
   *
   * @throws IllegalArgumentException if a directory can't be listed or is no log directory, with
   *     the path and what is expected
   */
  public static ArchiveSource open(String name, ArchiveOptions options, InstantSource clock) {
    List<LogDirectory> directories = new ArrayList<>();
    Set<Path> seen = new HashSet<>();
    for (Path path : options.logDirectories()) {
      if (!seen.add(path.toAbsolutePath().normalize())) {
        throw new IllegalArgumentException("archive directory " + path + ": given twice");
      }
      directories.add(LogDirectory.open(path, options.topics()));
    }
    return new ArchiveSource(name, options, clock, directories);
  }

  /**
   * Loads all partitions, in parallel on an executor. Once.
   *
   * @param executor runs tasks that read files
   * @param progress is told how far it is
   * @return completes when the source is ready; fails only if the executor does
   */
  public CompletionStage<Void> load(Executor executor, ArchiveProgress progress) {
    if (!loading.compareAndSet(false, true)) {
      throw new IllegalStateException("archive '" + name + "' is loaded already");
    }
    ArchiveLoad load = new ArchiveLoad(name, directories, options, progress);
    long startMs = clock.millis();
    progress.started(name, load.partitionCount());
    try {
      return load.start(executor)
          .thenAccept(
              loaded -> {
                topics = loaded;
                progress.finished(name, load.partitionCount(), clock.millis() - startMs);
              });
    } catch (RejectedExecutionException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public SourceKind kind() {
    return SourceKind.ARCHIVE;
  }

  @Override
  public boolean isReady() {
    return topics != null;
  }

  @Override
  public List<String> warnings() {
    List<String> all = new ArrayList<>();
    directories.forEach(directory -> all.addAll(directory.warnings()));
    ArchivedTopics loaded = topics;
    if (loaded != null) {
      all.addAll(loaded.warnings());
      options.memory().preload().warning().ifPresent(all::add);
    }
    return List.copyOf(all);
  }

  @Override
  public List<Log> preloadedLogs() {
    ArchivedTopics loaded = topics;
    return loaded == null ? List.of() : loaded.logs();
  }

  @Override
  public List<TopicInfo> topics() {
    return loaded().all();
  }

  @Override
  public TopicInfo topic(String topic) {
    return loaded().topic(topic).info();
  }

  @Override
  public PartitionLogs logs(String topic) {
    return loaded().topic(topic);
  }

  @Override
  public long stalenessMs() {
    return Math.max(0, clock.millis() - openedAtMs);
  }

  private ArchivedTopics loaded() {
    ArchivedTopics loaded = topics;
    if (loaded == null) {
      throw WhenceException.of(
          ErrorReason.NOT_READY,
          "archive '" + name + "' is still being loaded; try again later",
          "source",
          name);
    }
    return loaded;
  }
}
