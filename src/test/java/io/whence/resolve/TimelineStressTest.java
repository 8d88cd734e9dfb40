package io.whence.resolve;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.log.AppendBatch;
import io.whence.log.BlockIndexCache;
import io.whence.log.LogEvents;
import io.whence.log.LogMemory;
import io.whence.log.LogSnapshot;
import io.whence.log.Preload;
import io.whence.log.PreloadEvents;
import io.whence.log.PreloadOptions;
import io.whence.model.Cancellation;
import io.whence.model.IsolationLevel;
import io.whence.model.OffsetRange;
import io.whence.model.Position;
import io.whence.model.Resolution;
import io.whence.model.TopicPartition;
import io.whence.record.CompressionCodec;
import io.whence.record.SourceRecord;
import io.whence.source.embedded.EmbeddedOptions;
import io.whence.source.embedded.EmbeddedSource;
import io.whence.testkit.BruteForce;
import io.whence.testkit.OracleRecord;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Readers ask memory and log while segments roll, expire and are trimmed, and while timelines are
 * dropped and loaded again: every answer equals brute force over what its snapshot shows. For
 * {@code -Dwhence.stress.seconds}, by default a few.
 */
class TimelineStressTest {
  private static final long SECONDS = Long.getLong("whence.stress.seconds", 5);
  private static final long SEED = Long.getLong("whence.seed", System.nanoTime());
  private static final int MAX_RECORDS = 4_000_000;
  private static final TopicPartition LOG = new TopicPartition("fire", 0);
  private static final Map<String, String> SMALL =
      Map.of("segment.bytes", "20000", "retention.bytes", "200000", "index.interval.bytes", "500");

  private final AtomicLongArray timestamps = new AtomicLongArray(MAX_RECORDS);
  private final AtomicLong fromMemory = new AtomicLong();
  private final AtomicLong fromLog = new AtomicLong();
  private final AtomicLong trims = new AtomicLong();
  private final ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(3);
  private final Queue<Exception> failures = new ConcurrentLinkedQueue<>();
  private volatile boolean done;

  @Test
  void answersUnderFire_equalBruteForce(@TempDir Path directory) throws Exception {
    System.out.println("TimelineStressTest seed " + SEED + " seconds " + SECONDS);
    ExecutorService pool = Executors.newCachedThreadPool();
    // Room for some of the segments only, so that others are dropped, and loaded after a trim.
    Preload preload =
        new Preload(new PreloadOptions(9_000, PreloadOptions.Mode.ALL, 0), PreloadEvents.NOOP);
    EmbeddedOptions options =
        new EmbeddedOptions(
            directory,
            Clock.systemUTC(),
            pool,
            pool,
            scheduler,
            Duration.ofMillis(50),
            Duration.ofMillis(300),
            LogEvents.NOOP,
            new LogMemory(new BlockIndexCache(1 << 20), preload));
    try (EmbeddedSource source = EmbeddedSource.open("local", options)) {
      preload.add(source);
      burn(source, preload, pool);
    } finally {
      done = true;
      scheduler.shutdownNow();
      pool.shutdownNow();
    }
    assertThat(fromMemory).hasPositiveValue();
    assertThat(fromLog).hasPositiveValue();
    assertThat(trims).hasPositiveValue();
  }

  private void burn(EmbeddedSource source, Preload preload, ExecutorService pool) throws Exception {
    source.createTopic(LOG.topic(), 1, SMALL);
    List<Future<Void>> tasks = new ArrayList<>();
    tasks.add(pool.submit(until(() -> append(source, new Random(SEED)))));
    Random trimming = new Random(SEED + 1);
    every(40, () -> trim(source, trimming));
    every(2, () -> preload.look(Long.MAX_VALUE));
    for (int reader = 0; reader < 2; reader++) {
      Random random = new Random(SEED + 2 + reader);
      tasks.add(pool.submit(until(() -> ask(source.logs(LOG.topic()).snapshot(0), random))));
    }
    scheduler.schedule(() -> done = true, SECONDS, TimeUnit.SECONDS);
    for (Future<Void> task : tasks) {
      task.get();
    }
    assertThat(failures).isEmpty();
    System.out.printf(
        "TimelineStressTest %d answers from memory, %d from the log; %d records, %d trims%n",
        fromMemory.get(),
        fromLog.get(),
        source.logs(LOG.topic()).snapshot(0).highWatermark(),
        trims.get());
  }

  /** Does something again and again; a failure ends all. */
  private Callable<Void> until(Step step) {
    return () -> {
      try {
        while (!done) {
          step.take();
        }
        return null;
      } finally {
        done = true;
      }
    };
  }

  /** Does something from time to time; a failure ends all. */
  private void every(int ms, Step step) {
    Runnable once =
        () -> {
          try {
            step.take();
          } catch (Exception e) {
            failures.add(e);
            done = true;
          }
        };
    scheduler.scheduleWithFixedDelay(once, ms, ms, TimeUnit.MILLISECONDS);
  }

  /** Something to do. */
  @FunctionalInterface
  private interface Step {
    void take() throws Exception;
  }

  private void append(EmbeddedSource source, Random random) {
    long next = source.logs(LOG.topic()).snapshot(0).highWatermark();
    int count = 1 + random.nextInt(40);
    if (next + count > MAX_RECORDS) {
      done = true;
      return;
    }
    List<SourceRecord> records = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long ms = Clock.systemUTC().millis() - random.nextInt(1 << random.nextInt(12));
      // Before it is appended: a reader may see the record before this returns.
      timestamps.set((int) next + i, ms);
      records.add(new SourceRecord(ms, null, new byte[10], List.of()));
    }
    OffsetRange range =
        source
            .append(LOG, new AppendBatch(records, CompressionCodec.NONE))
            .toCompletableFuture()
            .join();
    assertThat(range.startOffset()).isEqualTo(next);
  }

  private void trim(EmbeddedSource source, Random random) {
    LogSnapshot log = source.logs(LOG.topic()).snapshot(0);
    long span = log.highWatermark() - log.logStartOffset();
    if (span > 0) {
      source.trim(LOG, log.logStartOffset() + random.nextLong(span / 8 + 1));
      trims.incrementAndGet();
    }
  }

  private void ask(LogSnapshot log, Random random) {
    List<OracleRecord> records = new ArrayList<>();
    for (long offset = log.logStartOffset(); offset < log.highWatermark(); offset++) {
      records.add(OracleRecord.data(offset, timestamps.get((int) offset)));
    }
    long end = log.highWatermark();
    BruteForce oracle = new BruteForce(records, log.logStartOffset(), end, end);
    LogResolver resolver = new LogResolver();
    PositionAnswer answer = new PositionAnswer();
    for (int i = 0; i < 30; i++) {
      Position position = position(records, random);
      Resolution expected = oracle.resolve(position, IsolationLevel.READ_UNCOMMITTED);
      boolean known =
          resolver.resolveFromMemory(log, position, IsolationLevel.READ_UNCOMMITTED, answer);
      Resolution found =
          known
              ? answer.toResolution()
              : resolver.resolveFromLog(
                  log, position, IsolationLevel.READ_UNCOMMITTED, Cancellation.NONE);
      (known ? fromMemory : fromLog).incrementAndGet();
      assertThat(BruteForce.comparable(found))
          .as("%s, from memory: %s, bounds %s", position, known, found.bounds())
          .isEqualTo(expected);
    }
  }

  private static Position position(List<OracleRecord> records, Random random) {
    long ms =
        records.isEmpty()
            ? random.nextLong(1L << 41)
            : records.get(random.nextInt(records.size())).timestampMs() + random.nextInt(5) - 2;
    return switch (random.nextInt(8)) {
      case 0, 1, 2 -> new Position.AtOrAfter(ms);
      case 3, 4 -> new Position.AtOrBefore(ms);
      case 5 -> new Position.AllAfter(ms);
      case 6 -> new Position.MaxTimestamp();
      default -> new Position.Earliest();
    };
  }
}
