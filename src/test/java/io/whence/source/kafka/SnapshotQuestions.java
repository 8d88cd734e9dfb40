package io.whence.source.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.log.LogSnapshot;
import io.whence.model.Cancellation;
import io.whence.model.IsolationLevel;
import io.whence.model.Position;
import io.whence.model.TimeWindow;
import io.whence.resolve.LogResolver;
import io.whence.testkit.BruteForce;
import io.whence.testkit.OracleRecord;
import java.util.Random;

/**
 * Asks a snapshot all kinds of questions, and the oracle, which has the same records: the answers
 * must be equal. Thread safety: single-writer.
 */
final class SnapshotQuestions {
  private final LogResolver resolver = new LogResolver();
  private final long seed;
  private final Random random;
  private int count;

  /** Prints nothing: whoever makes it tells the seed. */
  SnapshotQuestions(long seed, Random random) {
    this.seed = seed;
    this.random = random;
  }

  /** Returns how many answers were equal. */
  int count() {
    return count;
  }

  /**
   * Asks, for both isolation levels.
   *
   * @param times how many times to ask about
   */
  void ask(LogSnapshot log, BruteForce oracle, int times) {
    for (IsolationLevel isolation : IsolationLevel.values()) {
      ask(log, oracle, new Position.Earliest(), isolation);
      ask(log, oracle, new Position.Latest(), isolation);
      ask(log, oracle, new Position.MaxTimestamp(), isolation);
      for (int i = 0; i < times && !oracle.records().isEmpty(); i++) {
        OracleRecord record = oracle.records().get(random.nextInt(oracle.records().size()));
        long ms = record.timestampMs() + random.nextInt(3) - 1;
        ask(log, oracle, new Position.AtOrAfter(ms), isolation);
        ask(log, oracle, new Position.AtOrBefore(ms), isolation);
        ask(log, oracle, new Position.AllAfter(ms), isolation);
        ask(log, oracle, new TimeWindow(ms, ms + random.nextInt(1_000)), isolation);
        ask(log, oracle, Math.max(0, record.offset() + random.nextInt(3) - 1), isolation);
      }
    }
  }

  private void ask(
      LogSnapshot log, BruteForce oracle, Position position, IsolationLevel isolation) {
    assertThat(BruteForce.comparable(resolver.resolve(log, position, isolation, Cancellation.NONE)))
        .as("%s %s, seed %d", position, isolation, seed)
        .isEqualTo(oracle.resolve(position, isolation));
    count++;
  }

  private void ask(
      LogSnapshot log, BruteForce oracle, TimeWindow window, IsolationLevel isolation) {
    assertThat(
            BruteForce.comparable(
                resolver.resolveWindow(log, window, isolation, Cancellation.NONE)))
        .as("%s %s, seed %d", window, isolation, seed)
        .isEqualTo(oracle.resolveWindow(window, isolation));
    count++;
  }

  private void ask(LogSnapshot log, BruteForce oracle, long offset, IsolationLevel isolation) {
    assertThat(
            BruteForce.comparable(
                resolver.resolveOffset(log, offset, isolation, Cancellation.NONE)))
        .as("offset %d %s, seed %d", offset, isolation, seed)
        .isEqualTo(oracle.resolveOffset(offset, isolation));
    count++;
  }
}
