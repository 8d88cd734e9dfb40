package io.whence.resolve;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.log.FollowedEnds;
import io.whence.log.FollowedLog;
import io.whence.log.FollowedLogOptions;
import io.whence.log.LogConfig;
import io.whence.log.LogEnvironment;
import io.whence.log.LogEvents;
import io.whence.log.LogSnapshot;
import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.IsolationLevel;
import io.whence.model.Outcome;
import io.whence.model.Position;
import io.whence.model.Resolution;
import io.whence.model.TimeWindow;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.model.WindowResolution;
import io.whence.testkit.BruteForce;
import io.whence.testkit.Directories;
import io.whence.testkit.LeaderHistory;
import io.whence.testkit.ManualClock;
import io.whence.testkit.OracleRecord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/**
 * Follows logs from the middle, and compares what is answered with a scan of all that the leaders
 * have. No answer is right where the answer could lie in what is not followed, and only there. The
 * seed is set by {@code -Dwhence.oracle.seed}, the number of logs by {@code
 * -Dwhence.oracle.followed}.
 */
class FollowedHeadOracleTest {
  private static final long SEED = Long.getLong("whence.oracle.seed", System.nanoTime());
  private static final int LOGS = Integer.getInteger("whence.oracle.followed", 200);
  private static final int QUESTIONS = 60;

  private final LogResolver resolver = new LogResolver();
  private long answered;
  private long refused;

  @Test
  void followedFromTheMiddle_answersEqualBruteForceOfAll() throws IOException {
    System.out.println("FollowedHeadOracleTest seed=" + SEED + " logs=" + LOGS);
    for (int index = 0; index < LOGS; index++) {
      long seed = SEED * 31 + index;
      try {
        check(seed);
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("seed " + SEED + " log " + index + ": " + e, e);
      }
    }
    assertThat(answered).isGreaterThan(20L * LOGS);
    assertThat(refused).isGreaterThan(20L * LOGS);
  }

  private void check(long seed) throws IOException {
    Random random = new Random(seed ^ 0x2545F4914F6CDD1DL);
    List<byte[]> batches = new ArrayList<>();
    new RandomLogGenerator(seed)
        .generate()
        .segments()
        .forEach(segment -> segment.batches().forEach(batch -> batches.add(batch.bytes())));
    if (batches.isEmpty()) {
      return;
    }
    LeaderHistory leader = LeaderHistory.of(batches);
    long first = LeaderHistory.baseOffset(batches.get(0));
    long start = between(random, first, leader.endOffset() - 1);
    long from = between(random, start + 1, leader.endOffset());
    Path directory = Directories.temporary("whence-head");
    try {
      FollowedLog log = open(directory, random, from);
      follow(log, batches, leader, start);
      long belowMs = prove(log, leader, start, from, random);
      new Questions(log.snapshot(), leader, start, from, belowMs, random).ask();
      log.abandon();
    } finally {
      Directories.delete(directory);
    }
  }

  private static long between(Random random, long low, long high) {
    return high <= low ? low : low + random.nextInt((int) Math.min(1 << 20, high - low + 1));
  }

  private static FollowedLog open(Path directory, Random random, long from) throws IOException {
    LogEnvironment environment =
        new LogEnvironment(
            new ManualClock(1), Runnable::run, deletion -> {}, 2_000, LogEvents.NOOP);
    return FollowedLog.open(
        directory,
        new TopicPartition("t", 0),
        LogConfig.of(
            Map.of(
                "segment.bytes", String.valueOf(1024 + random.nextInt(3000)),
                "index.interval.bytes", String.valueOf(random.nextInt(400)))),
        environment,
        FollowedLogOptions.startingAt(from));
  }

  private static void follow(
      FollowedLog log, List<byte[]> batches, LeaderHistory leader, long start) throws IOException {
    FollowedEnds ends =
        new FollowedEnds(
            start, leader.endOffset(), Math.min(leader.firstOpenOffset(), leader.endOffset()));
    for (byte[] batch : batches) {
      if (LeaderHistory.lastOffset(batch) >= log.position().nextOffset()) {
        log.append(ByteBuffer.wrap(batch), ends);
      }
    }
    log.confirm(ends);
  }

  /** Tells the log of its head what is true, exactly or loosely, or nothing. */
  private static long prove(
      FollowedLog log, LeaderHistory leader, long start, long from, Random random) {
    int kind = random.nextInt(3);
    if (kind == 0) {
      return Long.MAX_VALUE;
    }
    long largestMs =
        leader.records().stream()
            .filter(record -> record.offset() >= start && record.offset() < from)
            .mapToLong(OracleRecord::timestampMs)
            .max()
            .orElse(-1);
    if (largestMs == Long.MAX_VALUE) {
      return Long.MAX_VALUE;
    }
    long belowMs = Math.max(0, largestMs + 1);
    long loose = belowMs + (kind == 1 ? 0 : random.nextInt(1000));
    belowMs = loose < 0 ? belowMs : loose;
    log.proveHead(from, belowMs);
    return belowMs;
  }

  /** What is asked of one log. */
  private final class Questions {
    private final LogSnapshot log;
    private final BruteForce oracle;
    private final List<OracleRecord> records;
    private final long from;
    private final long belowMs;
    private final Random random;

    Questions(
        LogSnapshot log, LeaderHistory leader, long start, long from, long belowMs, Random random) {
      this.log = log;
      this.oracle =
          leader.oracle(
              start, Math.max(start, Math.min(leader.firstOpenOffset(), leader.endOffset())));
      this.records = leader.records();
      this.from = from;
      this.belowMs = belowMs;
      this.random = random;
    }

    void ask() {
      assertThat(log.firstOffset()).isEqualTo(from);
      for (IsolationLevel isolation : IsolationLevel.values()) {
        assertThat(log.bounds(isolation)).isEqualTo(oracle.bounds(isolation));
        ask(new Position.Earliest(), isolation);
        ask(new Position.Latest(), isolation);
        ask(new Position.MaxTimestamp(), isolation);
        for (int i = 0; i < QUESTIONS / 6; i++) {
          ask(new Position.AtOrAfter(time()), isolation);
          ask(new Position.AtOrBefore(time()), isolation);
          ask(new Position.AllAfter(time()), isolation);
          askWindow(time(), time(), isolation);
          long offset = between(random, Math.max(0, from - 20), from + 20);
          askOffset(offset, isolation);
          askUnread(offset, isolation);
        }
      }
    }

    private long time() {
      if (records.isEmpty() || random.nextInt(10) == 0) {
        return random.nextLong();
      }
      long timestampMs = records.get(random.nextInt(records.size())).timestampMs();
      return timestampMs + random.nextInt(3) - 1;
    }

    private void ask(Position position, IsolationLevel isolation) {
      Resolution expected = oracle.resolve(position, isolation);
      PositionAnswer fromMemory = new PositionAnswer();
      Optional<Resolution> memory =
          answer(
              () -> {
                assertThat(resolver.resolveFromMemory(log, position, isolation, fromMemory))
                    .isTrue();
                return fromMemory.toResolution();
              });
      Optional<Resolution> files =
          answer(() -> resolver.resolveFromLog(log, position, isolation, Cancellation.NONE));
      assertThat(memory.map(BruteForce::comparable))
          .as("memory and files: %s %s", position, isolation)
          .isEqualTo(files.map(BruteForce::comparable));
      if (memory.isEmpty()) {
        assertThat(isKnown(position, expected, isolation))
            .as("%s %s is known: %s", position, isolation, expected)
            .isFalse();
      } else {
        assertThat(BruteForce.comparable(memory.get()))
            .as("%s %s", position, isolation)
            .isEqualTo(told(position, expected));
      }
    }

    /** What is not told of a log that is not followed from its beginning. */
    private Resolution told(Position position, Resolution expected) {
      boolean isEarliest = position instanceof Position.Earliest;
      return new Resolution(
          expected.outcome(),
          expected.offset(),
          isEarliest && !isFirstFollowed(expected) ? null : expected.record(),
          expected.boundaryOffset(),
          expected.bounds(),
          expected.outcome() != Outcome.FOUND && expected.startCut(),
          expected.origin());
    }

    /** A head that is not visible at all leaves the record known. */
    private boolean isFirstFollowed(Resolution expected) {
      return expected.bounds().logStartOffset() >= from;
    }

    /** What is known whatever the head holds. */
    private boolean isKnown(Position position, Resolution expected, IsolationLevel isolation) {
      boolean someTimed =
          oracle.visible(isolation).stream()
              .anyMatch(record -> record.offset() >= from && record.isTimed());
      if (position instanceof Position.AtOrAfter p) {
        return someTimed && isProven(p.targetTimestampMs());
      }
      boolean isFound = expected.outcome() == Outcome.FOUND && expected.offset() >= from;
      if (position instanceof Position.AllAfter) {
        return expected.boundaryOffset() > from;
      }
      if (position instanceof Position.MaxTimestamp) {
        return isFound && expected.record() != null && isProven(expected.record().timestampMs());
      }
      return isFound || !(position instanceof Position.AtOrBefore);
    }

    private boolean isProven(long timestampMs) {
      return belowMs < Long.MAX_VALUE && timestampMs >= belowMs;
    }

    private void askWindow(long one, long other, IsolationLevel isolation) {
      TimeWindow window = new TimeWindow(Math.min(one, other), Math.max(one, other));
      answer(() -> resolver.resolveWindow(log, window, isolation, Cancellation.NONE))
          .ifPresentOrElse(
              found -> {
                WindowResolution expected = oracle.resolveWindow(window, isolation);
                assertThat(BruteForce.comparable(found))
                    .as("%s %s", window, isolation)
                    .isEqualTo(withoutCut(expected));
              },
              () ->
                  assertThat(isProven(window.fromMs()) && isAnyBefore(window.toMs(), isolation))
                      .as("%s %s is known", window, isolation)
                      .isFalse());
    }

    private boolean isAnyBefore(long timeMs, IsolationLevel isolation) {
      return oracle.visible(isolation).stream()
          .anyMatch(r -> r.offset() >= from && r.isTimed() && r.timestampMs() < timeMs);
    }

    private static WindowResolution withoutCut(WindowResolution expected) {
      return new WindowResolution(
          expected.outcome(),
          expected.range(),
          expected.recordCount(),
          expected.outsideCount(),
          expected.firstRecord(),
          expected.lastRecord(),
          expected.bounds(),
          expected.outcome() != Outcome.FOUND && expected.startCut(),
          expected.origin());
    }

    private void askOffset(long offset, IsolationLevel isolation) {
      answer(() -> resolver.resolveOffset(log, offset, isolation, Cancellation.NONE))
          .ifPresentOrElse(
              found ->
                  assertThat(BruteForce.comparable(found))
                      .as("offset %s %s", offset, isolation)
                      .isEqualTo(oracle.resolveOffset(offset, isolation)),
              () -> assertThat(offset < from || !isAny(isolation)).isTrue());
    }

    private boolean isAny(IsolationLevel isolation) {
      return oracle.visible(isolation).stream().anyMatch(record -> record.offset() >= from);
    }

    private void askUnread(long offset, IsolationLevel isolation) {
      answer(() -> resolver.unread(log, offset, isolation, Cancellation.NONE))
          .ifPresentOrElse(
              found ->
                  assertThat(found)
                      .as("unread from %s %s", offset, isolation)
                      .isEqualTo(oracle.unread(offset, isolation)),
              () -> assertThat(offset).isLessThan(from));
    }

    private <A> Optional<A> answer(Supplier<A> question) {
      try {
        A found = question.get();
        answered++;
        return Optional.of(found);
      } catch (WhenceException e) {
        assertThat(e.reason()).as(e.getMessage()).isEqualTo(ErrorReason.NOT_FOLLOWED);
        refused++;
        return Optional.empty();
      }
    }
  }
}
