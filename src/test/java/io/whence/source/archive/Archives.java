package io.whence.source.archive;

import io.whence.testkit.Fixture;
import io.whence.testkit.Fixture.Partition;
import io.whence.testkit.Fixtures;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Opens archives for tests and compares them with fixtures. */
final class Archives {
  static final InstantSource CLOCK = InstantSource.fixed(Instant.ofEpochMilli(1_800_000_000_000L));

  private Archives() {}

  static ArchiveSource load(Path... logDirectories) {
    return load(ArchiveOptions.of(List.of(logDirectories)));
  }

  /** Opens an archive and loads it on two threads. */
  static ArchiveSource load(ArchiveOptions options) {
    ArchiveSource source = ArchiveSource.open("archive", options, CLOCK);
    load(source, ArchiveProgress.NOOP);
    return source;
  }

  static void load(ArchiveSource source, ArchiveProgress progress) {
    ExecutorService executor = Executors.newFixedThreadPool(2);
    try {
      source.load(executor, progress).toCompletableFuture().get(60, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException(e);
    } finally {
      executor.shutdownNow();
    }
  }

  static LogComparison comparison(ArchiveSource source, String fixture, Partition partition) {
    return new LogComparison(
        fixture + " " + partition.dir(),
        source.snapshot(partition.topicPartition()),
        Fixtures.oracle(fixture, partition));
  }

  /**
   * Compares every recorded answer, and some random ones, of all partitions.
   *
   * @return how many answers were compared
   */
  static int assertAnswersOf(String fixture, ArchiveSource source, Random random) {
    int compared = 0;
    Fixture expected = Fixtures.load(fixture);
    for (Partition partition : expected.partitions()) {
      LogComparison comparison = comparison(source, fixture, partition);
      comparison.bounds(partition);
      compared += comparison.named();
      compared += comparison.recorded(partition.queries());
      compared += comparison.random(random, 5);
    }
    return compared;
  }
}
