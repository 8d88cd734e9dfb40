package io.whence.app;

import io.whence.commit.EmbeddedGroupOffsets;
import io.whence.ops.GroupMetrics;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/**
 * Removes offsets of groups that have expired, and commits on disk that newer ones replaced, from
 * time to time, on a thread of its own. Thread safety: single-writer.
 */
final class GroupUpkeep implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(GroupUpkeep.class);
  private static final int PATIENCE_SECONDS = 5;

  private final String source;
  private final EmbeddedGroupOffsets groups;
  private final GroupMetrics metrics;
  private final ScheduledExecutorService scheduler =
      new PeriodicThread(new NamedThreads("whence-groups"));

  private GroupUpkeep(String source, EmbeddedGroupOffsets groups, GroupMetrics metrics) {
    this.source = source;
    this.groups = groups;
    this.metrics = metrics;
  }

  /** Starts; the first turn comes after one interval. */
  static GroupUpkeep start(
      String source, EmbeddedGroupOffsets groups, GroupsConfig config, GroupMetrics metrics) {
    GroupUpkeep upkeep = new GroupUpkeep(source, groups, metrics);
    groups.warnings().forEach(warning -> metrics.warned(source, warning));
    metrics.show(groups.figures());
    upkeep.every(config.expiryInterval(), "expire", upkeep::expire);
    upkeep.every(config.compactionInterval(), "compact", upkeep::compact);
    return upkeep;
  }

  private void every(Duration interval, String name, Turn turn) {
    ScheduledFuture<?> unused =
        scheduler.scheduleWithFixedDelay(
            () -> run(name, turn), interval.toMillis(), interval.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** A turn that fails is made again after the interval. */
  private void run(String name, Turn turn) {
    try {
      turn.run();
    } catch (IOException | RuntimeException e) {
      failed(name, e);
    }
  }

  private void failed(String name, Throwable failure) {
    metrics.warned(source, name + " failed and is tried again: " + failure.getMessage());
    LOG.debug("upkeep of group offsets failed", failure);
  }

  private void expire() {
    CompletionStage<Integer> unused =
        groups
            .expire()
            .whenComplete(
                (count, failure) -> {
                  if (failure == null) {
                    metrics.expired(count);
                  } else {
                    failed("expire", failure);
                  }
                });
  }

  private void compact() throws IOException {
    metrics.compacted(groups.compact());
    metrics.show(groups.figures());
  }

  /**
   * Begins no more turns and waits for the one at work. Doesn't interrupt it, which would close the
   * files that it works on.
   */
  @Override
  public void close() throws InterruptedException {
    scheduler.shutdown();
    if (!scheduler.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      LOG.warnf("upkeep of group offsets doesn't end: source=%s", source);
    }
  }

  /** One turn of work. */
  @FunctionalInterface
  private interface Turn {
    void run() throws IOException;
  }
}
