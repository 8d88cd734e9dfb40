package io.whence.app;

import io.whence.commit.ArchivedGroupOffsets;
import io.whence.commit.GroupOffsets;
import io.whence.log.LogEvents;
import io.whence.log.LogMemory;
import io.whence.source.LogSource;
import io.whence.source.archive.ArchiveOptions;
import io.whence.source.archive.ArchiveSource;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Opens an archive; reading it takes a pool of its own, which is gone once all is read. */
final class ArchiveLifecycle implements SourceLifecycle {
  private static final Pattern ALL_TOPICS = Pattern.compile(".*");

  private final String name;
  private final WhenceConfig.ArchiveConfig config;
  private final Path cache;
  private final InstantSource clock;
  private final LogMemory memory;
  private final LogEvents events;
  private @Nullable GroupOffsets groups;

  /**
   * Makes a lifecycle; opens nothing yet.
   *
   * @param cache where index data of ours goes
   * @param memory what all logs share
   * @param events is told of damage that readers find
   */
  ArchiveLifecycle(
      String name,
      WhenceConfig.ArchiveConfig config,
      Path cache,
      InstantSource clock,
      LogMemory memory,
      LogEvents events) {
    this.name = name;
    this.config = config;
    this.cache = cache;
    this.clock = clock;
    this.memory = memory;
    this.events = events;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String setting() {
    return "whence.archive." + name + ".dirs";
  }

  @Override
  public LogSource open() throws InterruptedException, ExecutionException {
    ArchiveOptions options =
        new ArchiveOptions(
            config.dirs(),
            config.salvage(),
            config.topics().map(Pattern::compile).orElse(ALL_TOPICS),
            cache,
            memory,
            events);
    ArchiveSource source = ArchiveSource.open(name, options, clock);
    ExecutorService loader =
        Executors.newFixedThreadPool(
            Runtime.getRuntime().availableProcessors(), new NamedThreads("whence-load-" + name));
    try {
      source.load(loader, new LoggedProgress(name)).toCompletableFuture().get();
    } finally {
      loader.shutdownNow();
    }
    groups = new ArchivedGroupOffsets(source);
    return source;
  }

  @Override
  public Optional<GroupOffsets> groupOffsets() {
    return Optional.ofNullable(groups);
  }

  @Override
  public void close() {
    // Only read: there is nothing to put on disk.
  }
}
