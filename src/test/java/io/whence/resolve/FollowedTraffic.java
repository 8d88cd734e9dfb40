package io.whence.resolve;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.log.FollowPosition;
import io.whence.log.FollowedEnds;
import io.whence.log.FollowedLog;
import io.whence.log.FollowedLogOptions;
import io.whence.log.LogConfig;
import io.whence.log.LogEnvironment;
import io.whence.log.LogEvents;
import io.whence.log.LogSnapshot;
import io.whence.model.IsolationLevel;
import io.whence.model.TopicPartition;
import io.whence.testkit.BruteForce;
import io.whence.testkit.Directories;
import io.whence.testkit.LeaderHistory;
import io.whence.testkit.ManualClock;
import io.whence.testkit.OracleRecord;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/**
 * Lets a log follow a leader that has the batches of a log that was made up: in portions, with
 * truncations, raised log starts, jumps and restarts in between; compares every answer after each
 * step. Thread safety: single-writer; one a log.
 */
final class FollowedTraffic {
  private static final TopicPartition PARTITION = new TopicPartition("t", 0);
  private static final int[] INTERVALS = {0, 60, 300, 4096};

  private final Random random;
  private final Path root;

  /** What the leader has, and what it is going to have. */
  private final List<byte[]> history = new ArrayList<>();

  private final List<byte[]> future = new ArrayList<>();
  private final LogConfig config;
  private final LogEnvironment environment;
  private Path directory;
  private int restarts;
  private FollowedLog log;

  /** What is expected of the log: where it begins, what it has, and whether that is decided. */
  private long startOffset;

  private long followedFrom;
  private long endOffset;
  private boolean decided;
  private long questions;
  private String step = "opened";

  private final LeaderCleaner cleaner;

  /** Questions to an older snapshot of the same files. */
  private Optional<RandomQuestions> older = Optional.empty();

  private final List<String> steps = new ArrayList<>();

  FollowedTraffic(RandomLog made, Path root, long seed) {
    this.random = new Random(seed ^ 0x5DEECE66DL);
    this.root = root;
    this.cleaner = new LeaderCleaner(random);
    made.segments().forEach(s -> s.batches().forEach(batch -> future.add(batch.bytes())));
    this.config =
        LogConfig.of(
            Map.of(
                "segment.bytes", String.valueOf(1024 + random.nextInt(3000)),
                "segment.index.bytes", String.valueOf(random.nextInt(4) == 0 ? 60 : 100_000),
                "index.interval.bytes", String.valueOf(INTERVALS[random.nextInt(4)])));
    this.environment =
        new LogEnvironment(
            new ManualClock(1_000_000),
            Runnable::run,
            deletion -> {},
            1 + random.nextInt(2000),
            LogEvents.NOOP);
    this.directory = root.resolve("0");
    this.startOffset =
        future.isEmpty() ? 7 : Math.max(0, LeaderHistory.baseOffset(future.get(0)) - 1);
    this.followedFrom = startOffset;
    this.endOffset = startOffset;
    this.log = open();
  }

  private FollowedLog open() {
    try {
      return FollowedLog.open(
          directory, PARTITION, config, environment, FollowedLogOptions.startingAt(startOffset));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Runs all of it; returns how many questions were asked. */
  long run() {
    try {
      compare();
      while (!future.isEmpty() || endOffset < leaderEnd()) {
        doSomething();
        compare();
      }
      log.abandon();
      return questions;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError("after steps: " + steps + " " + step + ": " + e, e);
    }
  }

  private void doSomething() throws IOException {
    switch (random.nextInt(18)) {
      case 0 -> truncate();
      case 1 -> raiseStart();
      case 2 -> restart(random.nextBoolean());
      case 3 -> confirm();
      case 5, 6 -> clean();
      case 4 -> {
        if (random.nextInt(3) == 0) {
          jump();
        }
      }
      default -> {
        produce();
        follow();
      }
    }
  }

  private void clean() throws IOException {
    long before = log.snapshot().sizeBytes();
    step = "clean " + cleaner.clean(known(), log);
    assertThat(log.snapshot().sizeBytes()).isLessThanOrEqualTo(before);
  }

  private void produce() {
    int count = Math.min(future.size(), 1 + random.nextInt(random.nextBoolean() ? 3 : 20));
    for (int i = 0; i < count; i++) {
      history.add(future.remove(0));
    }
  }

  private long leaderEnd() {
    return history.isEmpty() ? 0 : LeaderHistory.lastOffset(history.get(history.size() - 1)) + 1;
  }

  private void follow() throws IOException {
    List<byte[]> portion = new ArrayList<>();
    int count = 1 + random.nextInt(10);
    long nextOffset = log.position().nextOffset();
    for (byte[] batch : history) {
      // Some come again, as when a fetch is repeated.
      long last = LeaderHistory.lastOffset(batch);
      boolean again = last < nextOffset && last > nextOffset - 4 && random.nextInt(5) == 0;
      if (portion.size() < count && (again || last >= nextOffset)) {
        portion.add(batch);
      }
    }
    Optional<byte[]> next = future.isEmpty() ? Optional.empty() : Optional.of(future.get(0));
    ByteBuffer bytes = FetchedBytes.joined(portion, next, random);
    step = "follow " + portion.size() + " batches from " + nextOffset;
    log.append(bytes, ends(random.nextInt(3) == 0));
    for (byte[] batch : portion) {
      endOffset = Math.max(endOffset, LeaderHistory.lastOffset(batch) + 1);
    }
  }

  private FollowedEnds ends(boolean isStale) {
    LeaderHistory leader = LeaderHistory.of(history);
    long stable = Math.max(0, Math.min(leader.firstOpenOffset(), leader.endOffset()));
    long told = isStale ? Math.max(0, stable - random.nextInt(20)) : stable;
    decided |= told >= followedFrom;
    step += " told " + told;
    return new FollowedEnds(startOffset, leader.endOffset(), told);
  }

  private void confirm() {
    step = "confirm";
    log.confirm(ends(random.nextBoolean()));
  }

  private void truncate() throws IOException {
    long lowest = Math.max(0, startOffset - 2);
    // What a cleaner worked on no leader loses; below, there is only another log.
    boolean isAnother = cleaner.endOffset() > 0 && random.nextInt(4) == 0;
    long offset =
        isAnother
            ? between(lowest, startOffset)
            : between(Math.max(lowest, cleaner.endOffset()), endOffset + 1);
    step = "truncate to " + offset;
    List<byte[]> gone = new ArrayList<>();
    while (!history.isEmpty()
        && LeaderHistory.lastOffset(history.get(history.size() - 1)) >= offset) {
      gone.add(history.remove(history.size() - 1));
    }
    Collections.reverse(gone);
    gone.removeIf(batch -> random.nextInt(4) == 0);
    future.addAll(0, gone);
    log.truncateTo(offset);
    if (offset <= startOffset) {
      begin(offset);
    } else if (offset < endOffset) {
      decided = false;
      endOffset = Math.max(startOffset, Math.min(offset, leaderEnd()));
      followedFrom = Math.max(followedFrom, log.snapshot().segments().get(0).baseOffset());
    }
  }

  private void begin(long offset) {
    cleaner.beginAnew();
    startOffset = offset;
    followedFrom = offset;
    endOffset = offset;
    decided = false;
  }

  private void raiseStart() throws IOException {
    long offset = between(startOffset, endOffset + random.nextInt(2));
    step = "raise start to " + offset;
    log.raiseStart(offset);
    if (offset > endOffset) {
      begin(offset);
    } else {
      startOffset = Math.max(startOffset, offset);
    }
  }

  private void jump() throws IOException {
    long offset = between(startOffset, leaderEnd() + 1);
    step = "restart at " + offset;
    log.restartAt(offset);
    begin(offset);
    log.confirm(ends(false));
  }

  private void restart(boolean isOrderly) throws IOException {
    step = isOrderly ? "closed and opened" : "killed and opened";
    older = Optional.empty();
    if (isOrderly) {
      log.close();
      log = open();
    } else {
      Path copy = root.resolve(String.valueOf(++restarts));
      Directories.copy(directory, copy);
      log.abandon();
      Directories.delete(directory);
      directory = copy;
      step += FetchedBytes.tear(directory, random);
      log = open();
      startOffset = Math.min(startOffset, log.firstOffset());
    }
    FollowPosition position = log.position();
    long before = endOffset;
    assertThat(position.nextOffset()).isLessThanOrEqualTo(endOffset);
    if (isOrderly) {
      assertThat(position.nextOffset()).isEqualTo(endOffset);
    }
    if (position.nextOffset() < startOffset || log.firstOffset() > startOffset) {
      begin(position.nextOffset());
    }
    endOffset = position.nextOffset();
    if (endOffset == startOffset && !isOrderly) {
      // Perhaps nothing was left, perhaps something below the start.
      log.restartAt(startOffset);
      begin(startOffset);
    }
    log.confirm(ends(false));
    long firstBase = log.snapshot().segments().get(0).baseOffset();
    if (position.nextOffset() < before) {
      followedFrom = Math.max(followedFrom, firstBase);
      decided = false;
    } else {
      forgetOpenBelow(firstBase);
    }
    log.confirm(ends(false));
  }

  /** Of a transaction that began before all that is left, only the leader says when it ends. */
  private void forgetOpenBelow(long firstBase) {
    if (known().firstOpenOffset() < Math.min(firstBase, endOffset)) {
      followedFrom = Math.max(followedFrom, firstBase);
      decided = false;
    }
  }

  private long between(long low, long high) {
    return high <= low ? low : low + random.nextInt((int) Math.min(1 << 20, high - low + 1));
  }

  /**
   * Returns what was followed. What a transaction has below was decided when the leader said so.
   */
  private LeaderHistory known() {
    return LeaderHistory.of(
        history.stream()
            .filter(batch -> LeaderHistory.lastOffset(batch) < endOffset)
            .filter(batch -> LeaderHistory.lastOffset(batch) >= followedFrom)
            .toList());
  }

  private void compare() {
    steps.add(step + " [" + startOffset + ", " + endOffset + ") from " + followedFrom);
    cleaner.fetchedAgain(endOffset);
    LeaderHistory known = known();
    long firstOpen = Math.min(known.firstOpenOffset(), endOffset);
    long stable = decided ? Math.max(startOffset, firstOpen) : startOffset;
    LogSnapshot snapshot = log.snapshot();
    assertThat(log.position().nextOffset()).as("position").isEqualTo(endOffset);
    assertThat(snapshot.logStartOffset()).as("log start").isEqualTo(startOffset);
    assertThat(snapshot.highWatermark()).as("high watermark").isEqualTo(endOffset);
    assertThat(snapshot.lastStableOffset()).as("last stable offset").isEqualTo(stable);
    if (endOffset > Math.max(startOffset, followedFrom)) {
      assertThat(log.position().lastEpoch()).as("epoch").isEqualTo(known.lastEpoch());
    }
    for (IsolationLevel isolation : IsolationLevel.values()) {
      assertThat(snapshot.timelines(isolation)).as("%s in memory", isolation).isNotNull();
    }
    List<OracleRecord> seen =
        known.records().stream()
            .filter(record -> record.offset() >= followedFrom)
            .filter(record -> !cleaner.hasRemoved(record.offset()))
            .toList();
    RandomLog asked =
        new RandomLog(
            List.of(new RandomLog.Segment(startOffset)),
            seen,
            startOffset,
            endOffset,
            endOffset,
            firstOpen,
            4096);
    BruteForce oracle = new BruteForce(seen, startOffset, endOffset, stable);
    RandomQuestions current = new RandomQuestions(snapshot, oracle, asked, random.nextLong());
    questions += current.askAll();
    compareOlder(current);
  }

  /** What an older snapshot answers must not change with the log. */
  private void compareOlder(RandomQuestions current) {
    if (older.isEmpty() || random.nextInt(4) == 0) {
      older = Optional.of(current);
    } else if (random.nextInt(3) == 0) {
      step = "asked an older snapshot";
      questions += older.get().askAll();
    }
  }
}
