package io.whence.app;

import io.whence.commit.EmbeddedGroupOffsets;
import io.whence.commit.GroupOffsets;
import io.whence.commit.GroupOptions;
import io.whence.log.LogEvents;
import io.whence.ops.GroupMetrics;
import io.whence.source.LogSource;
import io.whence.source.embedded.EmbeddedOptions;
import io.whence.source.embedded.EmbeddedSource;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
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
  private final ScheduledExecutorService groupScheduler;
  private @Nullable EmbeddedSource source;
  private @Nullable EmbeddedGroupOffsets groups;

  EmbeddedLifecycle(
      WhenceConfig config, InstantSource clock, LogEvents events, GroupMetrics groupMetrics) {
    this.groupMetrics = groupMetrics;
    this.config = config;
    this.clock = clock;
    this.events = events;
    this.flusher =
        Executors.newFixedThreadPool(
            config.embedded().flushThreads(), new NamedThreads("whence-flush"));
    this.opener = Executors.newFixedThreadPool(OPENER_THREADS, new NamedThreads("whence-open"));
    this.scheduler =
        Executors.newSingleThreadScheduledExecutor(new NamedThreads("whence-maintenance"));
    this.groupScheduler =
        Executors.newSingleThreadScheduledExecutor(new NamedThreads("whence-groups"));
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
                events));
    source = opened;
    groups = openGroups(opened);
    return opened;
  }

  private EmbeddedGroupOffsets openGroups(EmbeddedSource opened) {
    GroupsConfig given = config.groups();
    GroupOptions options =
        new GroupOptions(
            clock,
            given.retention(),
            given.history(),
            given.requestWindow(),
            given.maxRequests(),
            given.metadataMaxChars(),
            (int) given.segmentBytes().asLongValue(),
            groupMetrics);
    EmbeddedGroupOffsets offsets = EmbeddedGroupOffsets.open(opened, options, opener);
    groupMetrics.watch(offsets::figures);
    repeat("expiry", given.expiryInterval(), () -> expire(offsets));
    repeat("compaction", given.compactionInterval(), offsets::compact);
    return offsets;
  }

  /** Waits for the disk, so that two runs don't remove the same. */
  private static void expire(EmbeddedGroupOffsets offsets) {
    offsets.expire().toCompletableFuture().join();
  }

  private void repeat(String what, Duration interval, Task task) {
    Runnable guarded =
        () -> {
          try {
            task.run();
          } catch (IOException | RuntimeException e) {
            // Tried again at the next run; the schedule must not end.
            groupMetrics.warned(what + " failed: " + e);
          }
        };
    ScheduledFuture<?> unused =
        groupScheduler.scheduleWithFixedDelay(
            guarded, interval.toMillis(), interval.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Something that is done from time to time. */
  @FunctionalInterface
  private interface Task {
    void run() throws IOException;
  }

  @Override
  public Optional<GroupOffsets> groupOffsets() {
    return Optional.ofNullable(groups);
  }

  /** Not by an interrupt, which would close the files that a compaction is working on. */
  private void stopGroups() throws InterruptedException {
    groupScheduler.shutdown();
    if (!groupScheduler.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      groupMetrics.warned("expiry or compaction did not end in time; stopping all the same");
    }
  }

  @Override
  public void close() throws IOException, InterruptedException {
    try {
      stopGroups();
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
