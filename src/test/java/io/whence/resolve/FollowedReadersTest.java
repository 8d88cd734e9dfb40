package io.whence.resolve;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.log.FollowedEnds;
import io.whence.log.FollowedLog;
import io.whence.log.FollowedLogOptions;
import io.whence.log.LeaderRecords;
import io.whence.log.LogConfig;
import io.whence.log.LogEnvironment;
import io.whence.log.LogEvents;
import io.whence.log.LogSnapshot;
import io.whence.model.Cancellation;
import io.whence.model.IsolationLevel;
import io.whence.model.Position;
import io.whence.model.TopicPartition;
import io.whence.testkit.BatchBuilder;
import io.whence.testkit.BruteForce;
import io.whence.testkit.ManualClock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** While a log is followed, memory and files tell its readers the same. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class FollowedReadersTest {
  private static final int APPENDS = 1_500;

  @TempDir private Path directory;

  private final LogResolver resolver = new LogResolver();

  @Test
  void readersOfAnyMoment_getTheSameFromMemoryAndFiles() throws Exception {
    long seed = System.nanoTime();
    System.out.println("FollowedReadersTest seed " + seed);
    FollowedLog log = open();
    CompletableFuture<Void> following =
        CompletableFuture.runAsync(() -> follow(log, new Random(seed)));
    CompletableFuture<Long> cleaning =
        CompletableFuture.supplyAsync(() -> clean(log, following, new Random(seed + 1)));
    Random random = new Random(~seed);

    long compared = 0;
    while (!following.isDone() || compared < 100) {
      LogSnapshot snapshot = log.snapshot();
      for (IsolationLevel isolation : IsolationLevel.values()) {
        compare(snapshot, new Position.AtOrAfter(random.nextInt(3_000)), isolation);
        compare(snapshot, new Position.AtOrBefore(random.nextInt(3_000)), isolation);
        compare(snapshot, new Position.AllAfter(random.nextInt(3_000)), isolation);
        compare(snapshot, new Position.MaxTimestamp(), isolation);
        compared++;
      }
    }

    following.get(20, TimeUnit.SECONDS);
    assertThat(cleaning.get(20, TimeUnit.SECONDS)).isPositive();
    log.close();
  }

  private FollowedLog open() throws IOException {
    LogEnvironment environment =
        new LogEnvironment(
            new ManualClock(1), Runnable::run, deletion -> {}, 8_000, LogEvents.NOOP);
    return FollowedLog.open(
        directory,
        new TopicPartition("t", 0),
        LogConfig.of(Map.of("segment.bytes", "8000", "index.interval.bytes", "300")),
        environment,
        FollowedLogOptions.startingAt(0));
  }

  private static void follow(FollowedLog log, Random random) {
    try {
      for (int i = 0; i < APPENDS; i++) {
        long offset = log.position().nextOffset();
        int producer = random.nextInt(3);
        FollowedEnds ends = new FollowedEnds(log.firstOffset(), Long.MAX_VALUE, Long.MAX_VALUE);
        log.append(ByteBuffer.wrap(batch(offset, producer, i, random)), ends);
        if (random.nextInt(100) == 0) {
          log.truncateTo(Math.max(log.firstOffset() + 1, offset - random.nextInt(20)));
        } else if (random.nextInt(30) == 0) {
          log.raiseStart(Math.max(0, offset - 200 - random.nextInt(100)));
        }
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Removes records for as long as there are new ones, whatever is cut meanwhile. */
  private static long clean(FollowedLog log, CompletableFuture<Void> following, Random random) {
    long removed = 0;
    try {
      do {
        removed += log.keepOnly(new Sparse(random)).orElse(0);
      } while (!following.isDone() || removed == 0);
      return removed;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** A leader that has most of the records. */
  private record Sparse(Random random) implements LeaderRecords {
    @Override
    public boolean has(long offset, long timestampMs) {
      return random.nextInt(8) > 0;
    }

    @Override
    public boolean isOfSameLog() {
      return random.nextInt(20) > 0;
    }
  }

  private static byte[] batch(long offset, int producer, int number, Random random) {
    return switch (random.nextInt(5)) {
      case 0 -> BatchBuilder.commit(offset, producer, 0, number);
      case 1 -> BatchBuilder.abort(offset, producer, 0, number);
      case 2 -> BatchBuilder.batch(offset).records(number, number + 7, number - 9).build();
      default ->
          BatchBuilder.batch(offset)
              .producer(producer, 0)
              .transactional()
              .records(number, random.nextInt(3_000))
              .build();
    };
  }

  private void compare(LogSnapshot log, Position position, IsolationLevel isolation) {
    PositionAnswer fromMemory = new PositionAnswer();
    boolean inMemory = resolver.resolveFromMemory(log, position, isolation, fromMemory);
    assertThat(inMemory).as("%s %s in memory", position, isolation).isTrue();
    assertThat(BruteForce.comparable(fromMemory.toResolution()))
        .as("%s %s", position, isolation)
        .isEqualTo(
            BruteForce.comparable(
                resolver.resolveFromLog(log, position, isolation, Cancellation.NONE)));
  }
}
