package io.whence.app;

import io.whence.commit.EmbeddedGroupOffsets;
import io.whence.commit.GroupOffsets;
import io.whence.commit.GroupOptions;
import io.whence.log.LogEvents;
import io.whence.log.LogMemory;
import io.whence.ops.GroupMetrics;
import io.whence.source.LogSource;
import io.whence.source.embedded.EmbeddedOptions;
import io.whence.source.embedded.EmbeddedSource;
import java.io.IOException;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Opens and closes the embedded source, with the threads that it needs. */
final class EmbeddedLifecycle implements SourceLifecycle {
  private static final String NAME = "embedded";
  private static final int PATIENCE_SECONDS = 5;

  /** They mostly wait for the disk. */
  private static final int OPENER_THREADS = 8;

  private final WhenceConfig config;
  private final InstantSource clock;
  private final LogEvents events;
  private final ExecutorService flusher;
  private final ExecutorService opener;
  private final ScheduledExecutorService scheduler;
  private final GroupMetrics groupMetrics;
  private final LogMemory memory;
  private @Nullable EmbeddedSource source;
  private @Nullable EmbeddedGroupOffsets groups;
  private @Nullable GroupUpkeep upkeep;

  EmbeddedLifecycle(
      WhenceConfig config,
      InstantSource clock,
      LogEvents events,
      GroupMetrics groupMetrics,
      LogMemory memory) {
    this.config = config;
    this.clock = clock;
    this.events = events;
    this.groupMetrics = groupMetrics;
    this.memory = memory;
    this.flusher =
        Executors.newFixedThreadPool(
            config.embedded().flushThreads(), new NamedThreads("whence-flush"));
    this.opener = Executors.newFixedThreadPool(OPENER_THREADS, new NamedThreads("whence-open"));
    this.scheduler = new PeriodicThread(new NamedThreads("whence-maintenance"));
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String setting() {
    return "whence.data";
  }

  @Override
  public LogSource open() throws IOException {
    EmbeddedSource opened =
        EmbeddedSource.open(
            NAME,
            new EmbeddedOptions(
                config.data(),
                clock,
                flusher,
                opener,
                scheduler,
                config.embedded().retentionInterval(),
                config.embedded().fileDeleteDelay(),
                events,
                memory));
    source = opened;
    EmbeddedGroupOffsets offsets = EmbeddedGroupOffsets.open(opened, groupOptions(), opener);
    groups = offsets;
    upkeep = GroupUpkeep.start(NAME, offsets, config.groups(), groupMetrics);
    return opened;
  }

  private GroupOptions groupOptions() {
    GroupsConfig settings = config.groups();
    return new GroupOptions(
        clock,
        settings.retention(),
        settings.history(),
        settings.requestWindow(),
        settings.maxRequests(),
        settings.metadataMaxChars(),
        (int) settings.segmentBytes().asLongValue());
  }

  @Override
  public Optional<GroupOffsets> groupOffsets() {
    return Optional.ofNullable(groups);
  }

  @Override
  public void close() throws IOException, InterruptedException {
    try {
      closeGroups();
    } finally {
      closeSource();
    }
  }

  private void closeGroups() throws InterruptedException {
    GroupUpkeep running = upkeep;
    if (running != null) {
      running.close();
    }
  }

  private void closeSource() throws IOException, InterruptedException {
    try {
      EmbeddedSource opened = source;
      if (opened != null) {
        opened.close();
      }
    } finally {
      // Not before: an interrupt closes the files that retention or a flush is working on.
      scheduler.shutdownNow();
      opener.shutdownNow();
      flusher.shutdown();
      if (!flusher.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        flusher.shutdownNow();
      }
    }
  }
}
