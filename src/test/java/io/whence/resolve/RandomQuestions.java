package io.whence.resolve;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.log.LogSnapshot;
import io.whence.model.Cancellation;
import io.whence.model.IsolationLevel;
import io.whence.model.OffsetRange;
import io.whence.model.Origin;
import io.whence.model.Outcome;
import io.whence.model.Position;
import io.whence.model.Resolution;
import io.whence.model.TimeWindow;
import io.whence.model.UnreadRecords;
import io.whence.testkit.BruteForce;
import io.whence.testkit.OracleRecord;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.TreeSet;

/** Asks a resolver and the oracle the same questions about one log. Single-writer. */
final class RandomQuestions {
  private static final int FEW = 12;
  private static final int WINDOWS = 8;

  private final LogResolver resolver = new LogResolver();
  private final LogSnapshot snapshot;
  private final BruteForce oracle;
  private final RandomLog log;
  private final Random random;
  private final TreeSet<Long> targets = new TreeSet<>();
  private final PositionAnswer fromMemory = new PositionAnswer();
  private final LookAhead lookAhead = new LookAhead();
  private long asked;

  RandomQuestions(LogSnapshot snapshot, BruteForce oracle, RandomLog log, long seed) {
    this.snapshot = snapshot;
    this.oracle = oracle;
    this.log = log;
    this.random = new Random(~seed);
  }

  /** Asks and compares; returns how many questions there were. */
  long askAll() {
    collectTargets();
    for (IsolationLevel isolation : IsolationLevel.values()) {
      askPositions(isolation);
      askWindows(isolation);
      askOffsets(isolation);
      askCounts(isolation);
      askForTimesThatExist(isolation);
    }
    return asked;
  }

  private void collectTargets() {
    targets.addAll(List.of(0L, -1L, -7L, Long.MIN_VALUE, Long.MAX_VALUE));
    long[] times = log.distinctTimestamps();
    int count = Math.min(times.length, FEW);
    for (int i = 0; i < count; i++) {
      long timeMs = times.length <= FEW ? times[i] : times[random.nextInt(times.length)];
      targets.add(timeMs);
      // Wraps to the other end at the ends, which is as good a target as any.
      targets.add(timeMs - 1);
      targets.add(timeMs + 1);
    }
    if (times.length > 0) {
      targets.add(times[times.length - 1] + 1);
      targets.add(times[0] / 2 + times[times.length - 1] / 2);
      targets.add(Math.abs(random.nextLong()));
    }
  }

  private void askPositions(IsolationLevel isolation) {
    ask(new Position.Earliest(), isolation);
    ask(new Position.Latest(), isolation);
    ask(new Position.MaxTimestamp(), isolation);
    long from = Long.MIN_VALUE;
    for (long target : targets) {
      Resolution start = ask(new Position.AtOrAfter(target), isolation);
      ask(new Position.AtOrBefore(target), isolation);
      ask(new Position.AllAfter(target), isolation);
      // A later time never begins before an earlier one.
      long to = start.outcome() == Outcome.FOUND ? start.offset() : start.bounds().endOffset();
      assertThat(to).as("order at %d", target).isGreaterThanOrEqualTo(from);
      from = to;
    }
  }

  /** A time that a visible record has is always found, and never before that time. */
  private void askForTimesThatExist(IsolationLevel isolation) {
    List<OracleRecord> visible =
        oracle.visible(isolation).stream().filter(OracleRecord::isTimed).toList();
    for (int i = 0; i < Math.min(visible.size(), 2 * FEW); i++) {
      int place = visible.size() <= 2 * FEW ? i : random.nextInt(visible.size());
      long timestampMs = visible.get(place).timestampMs();
      Resolution answer = ask(new Position.AtOrAfter(timestampMs), isolation);
      assertThat(answer.outcome()).as("time %d exists", timestampMs).isEqualTo(Outcome.FOUND);
      assertThat(Objects.requireNonNull(answer.record()).timestampMs())
          .isGreaterThanOrEqualTo(timestampMs);
    }
  }

  private Resolution ask(Position position, IsolationLevel isolation) {
    asked++;
    Resolution answer = resolver.resolveFromLog(snapshot, position, isolation, Cancellation.NONE);
    Resolution expected = oracle.resolve(position, isolation);
    lookAhead.add(snapshot);
    lookAhead.add(snapshot);
    lookAhead.look(position, isolation);
    boolean inMemory = resolver.resolveFromMemory(snapshot, position, isolation, fromMemory);
    boolean all = snapshot.timelines(isolation) != null || position instanceof Position.Latest;
    assertThat(inMemory)
        .as("all timelines are in memory: %s %s", position, isolation)
        .isEqualTo(all);
    if (inMemory) {
      Resolution known = fromMemory.toResolution();
      assertThat(known.origin()).isEqualTo(Origin.MEMORY);
      if (!BruteForce.comparable(known).equals(expected)) {
        throw new AssertionError(
            different("memory: " + position + " " + isolation, expected, known));
      }
    }
    if (!BruteForce.comparable(answer).equals(expected)) {
      throw new AssertionError(different(position + " " + isolation, expected, answer));
    }
    return answer;
  }

  private void askWindows(IsolationLevel isolation) {
    List<Long> ends = List.copyOf(targets);
    ask(new TimeWindow(Long.MIN_VALUE, Long.MAX_VALUE), isolation);
    for (int i = 0; i < WINDOWS; i++) {
      long one = ends.get(random.nextInt(ends.size()));
      long other = ends.get(random.nextInt(ends.size()));
      ask(new TimeWindow(Math.min(one, other), Math.max(one, other)), isolation);
    }
  }

  private void ask(TimeWindow window, IsolationLevel isolation) {
    asked++;
    Object answer =
        BruteForce.comparable(
            resolver.resolveWindow(snapshot, window, isolation, Cancellation.NONE));
    Object expected = oracle.resolveWindow(window, isolation);
    if (!answer.equals(expected)) {
      throw new AssertionError(different(window + " " + isolation, expected, answer));
    }
  }

  private void askOffsets(IsolationLevel isolation) {
    long first = Math.max(0, log.segments().get(0).baseOffset() - 1);
    long end = log.highWatermark() + 2;
    ask(0, isolation);
    ask(Long.MAX_VALUE, isolation);
    ask(log.effectiveStartOffset(), isolation);
    int count = (int) Math.min(end - first, 2 * FEW);
    for (int i = 0; i < count; i++) {
      long offset =
          end - first <= 2 * FEW
              ? first + i
              : first + random.nextInt((int) Math.min(Integer.MAX_VALUE, end - first));
      ask(offset, isolation);
    }
  }

  private void ask(long offset, IsolationLevel isolation) {
    asked++;
    Object answer =
        BruteForce.comparable(
            resolver.resolveOffset(snapshot, offset, isolation, Cancellation.NONE));
    Object expected = oracle.resolveOffset(offset, isolation);
    if (!answer.equals(expected)) {
      throw new AssertionError(different("offset " + offset + " " + isolation, expected, answer));
    }
  }

  /** The records of a range, and those from an offset on, for any place of its ends. */
  private void askCounts(IsolationLevel isolation) {
    long first = Math.max(0, log.segments().get(0).baseOffset() - 2);
    int span = (int) Math.min(1 << 20, log.highWatermark() + 3 - first);
    for (int i = 0; i < FEW; i++) {
      long one = first + random.nextInt(span);
      long other = i == 0 ? Long.MAX_VALUE : first + random.nextInt(span);
      askCount(new OffsetRange(Math.min(one, other), Math.max(one, other)), isolation);
      askUnread(i == 1 ? 0 : one, isolation);
    }
  }

  private void askCount(OffsetRange range, IsolationLevel isolation) {
    asked++;
    long answer = resolver.countRecords(snapshot, range, isolation, Cancellation.NONE);
    long expected =
        oracle.visible(isolation).stream()
            .filter(r -> r.offset() >= range.startOffset() && r.offset() < range.endOffset())
            .count();
    if (answer != expected) {
      throw new AssertionError(different("count " + range + " " + isolation, expected, answer));
    }
  }

  private void askUnread(long fromOffset, IsolationLevel isolation) {
    asked++;
    UnreadRecords answer = resolver.unread(snapshot, fromOffset, isolation, Cancellation.NONE);
    UnreadRecords expected = oracle.unread(fromOffset, isolation);
    if (!answer.equals(expected)) {
      throw new AssertionError(
          different("unread from " + fromOffset + " " + isolation, expected, answer));
    }
  }

  private static String different(String question, Object expected, Object found) {
    return question + "\n  expected " + expected + "\n  found    " + found;
  }
}
