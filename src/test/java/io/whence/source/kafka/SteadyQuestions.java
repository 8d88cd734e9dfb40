package io.whence.source.kafka;

import io.whence.log.LogSnapshot;
import io.whence.model.Cancellation;
import io.whence.model.IsolationLevel;
import io.whence.model.Position;
import io.whence.model.TimeWindow;
import io.whence.resolve.LogResolver;
import io.whence.source.kafka.PartitionTruth.Asked;
import io.whence.source.kafka.PartitionTruth.Question;
import io.whence.testkit.BruteForce;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.LongSupplier;

/** Asks a snapshot all kinds of questions. Thread safety: single-writer. */
final class SteadyQuestions {
  private static final int MAX_WINDOW_MS = 2_000;

  /** How many offsets are near the end. */
  static final int NEAR_END = 150;

  private final LogResolver resolver = new LogResolver();
  private final Random random;

  SteadyQuestions(Random random) {
    this.random = random;
  }

  /**
   * Asks, for both isolation levels.
   *
   * @param times how many times to ask about
   * @param someTime gives these
   */
  Asked ask(LogSnapshot log, int times, LongSupplier someTime) {
    List<Question> questions = new ArrayList<>();
    for (IsolationLevel isolation : IsolationLevel.values()) {
      questions.add(ask(log, new Position.Earliest(), isolation));
      questions.add(ask(log, new Position.Latest(), isolation));
      questions.add(ask(log, new Position.MaxTimestamp(), isolation));
      for (int i = 0; i < times; i++) {
        long ms = someTime.getAsLong();
        questions.add(ask(log, new Position.AtOrAfter(ms), isolation));
        questions.add(ask(log, new Position.AtOrBefore(ms), isolation));
        questions.add(ask(log, new Position.AllAfter(ms), isolation));
        long toMs = ms + 1 + random.nextInt(MAX_WINDOW_MS);
        questions.add(ask(log, new TimeWindow(ms, toMs), isolation));
        questions.add(ask(log, someOffset(log), isolation));
      }
    }
    return new Asked(log.logStartOffset(), log.highWatermark(), log.lastStableOffset(), questions);
  }

  /** Half of them near the end, where logs change. */
  private long someOffset(LogSnapshot log) {
    long past = log.highWatermark() + 2;
    return random.nextBoolean()
        ? random.nextLong(past)
        : Math.max(0, past - 1 - random.nextInt(NEAR_END));
  }

  private Question ask(LogSnapshot log, Position position, IsolationLevel isolation) {
    return new Question(
        position + " " + isolation,
        BruteForce.comparable(resolver.resolve(log, position, isolation, Cancellation.NONE)),
        oracle -> oracle.resolve(position, isolation));
  }

  private Question ask(LogSnapshot log, TimeWindow window, IsolationLevel isolation) {
    return new Question(
        window + " " + isolation,
        BruteForce.comparable(resolver.resolveWindow(log, window, isolation, Cancellation.NONE)),
        oracle -> oracle.resolveWindow(window, isolation));
  }

  private Question ask(LogSnapshot log, long offset, IsolationLevel isolation) {
    return new Question(
        "offset " + offset + " " + isolation,
        BruteForce.comparable(resolver.resolveOffset(log, offset, isolation, Cancellation.NONE)),
        oracle -> oracle.resolveOffset(offset, isolation));
  }
}
