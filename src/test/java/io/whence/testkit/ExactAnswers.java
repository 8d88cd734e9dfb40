package io.whence.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.log.LogSnapshot;
import io.whence.model.Cancellation;
import io.whence.model.IsolationLevel;
import io.whence.model.OffsetResolution;
import io.whence.model.Position;
import io.whence.model.Resolution;
import io.whence.model.TimeWindow;
import io.whence.model.WindowResolution;
import io.whence.resolve.LogResolver;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;

/**
 * Compares what a snapshot answers with what the oracle answers from the records that must be in
 * it: all positions around every timestamp, windows, and offsets. Thread safety: thread-safe.
 */
public final class ExactAnswers {
  private static final int MOST_TIMES = 40;
  private static final IsolationLevel ISOLATION = IsolationLevel.READ_UNCOMMITTED;
  private static final LogResolver RESOLVER = new LogResolver();

  private ExactAnswers() {}

  /**
   * Fails if an answer differs.
   *
   * @param records the records of the log, by offset, also those below its start
   * @param random chooses the questions where there are too many
   */
  public static void assertExact(LogSnapshot log, List<OracleRecord> records, Random random) {
    BruteForce oracle =
        new BruteForce(records, log.logStartOffset(), log.highWatermark(), log.highWatermark());
    List<Long> times = times(records, random);
    for (Position position : positions(times)) {
      Resolution answer = RESOLVER.resolve(log, position, ISOLATION, Cancellation.NONE);
      assertThat(BruteForce.comparable(answer))
          .as("%s", position)
          .isEqualTo(oracle.resolve(position, ISOLATION));
    }
    for (int i = 0; i + 1 < times.size(); i++) {
      long to = times.get(i + 1 + random.nextInt(times.size() - i - 1));
      TimeWindow window = new TimeWindow(times.get(i), to);
      WindowResolution answer = RESOLVER.resolveWindow(log, window, ISOLATION, Cancellation.NONE);
      assertThat(BruteForce.comparable(answer))
          .as("%s", window)
          .isEqualTo(oracle.resolveWindow(window, ISOLATION));
    }
    for (long offset : offsets(log, random)) {
      OffsetResolution answer = RESOLVER.resolveOffset(log, offset, ISOLATION, Cancellation.NONE);
      assertThat(BruteForce.comparable(answer))
          .as("offset %s", offset)
          .isEqualTo(oracle.resolveOffset(offset, ISOLATION));
    }
  }

  private static List<Long> times(List<OracleRecord> records, Random random) {
    TreeSet<Long> times = new TreeSet<>(List.of(0L));
    for (OracleRecord record : records) {
      if (record.isTimed()) {
        times.add(record.timestampMs());
        times.add(record.timestampMs() + 1);
      }
    }
    List<Long> chosen = new ArrayList<>(times);
    while (chosen.size() > MOST_TIMES) {
      chosen.remove(random.nextInt(chosen.size()));
    }
    return chosen;
  }

  private static List<Position> positions(List<Long> times) {
    List<Position> positions = new ArrayList<>();
    positions.add(new Position.Earliest());
    positions.add(new Position.Latest());
    positions.add(new Position.MaxTimestamp());
    for (long time : times) {
      positions.add(new Position.AtOrAfter(time));
      positions.add(new Position.AtOrBefore(time));
      positions.add(new Position.AllAfter(time));
    }
    return positions;
  }

  private static List<Long> offsets(LogSnapshot log, Random random) {
    List<Long> offsets = new ArrayList<>(List.of(0L, log.logStartOffset(), log.highWatermark()));
    for (int i = 0; i < 10; i++) {
      offsets.add(random.nextLong(log.highWatermark() + 2));
    }
    return offsets;
  }
}
