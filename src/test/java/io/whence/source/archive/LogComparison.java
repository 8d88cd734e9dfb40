package io.whence.source.archive;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.log.LogSnapshot;
import io.whence.model.Cancellation;
import io.whence.model.IsolationLevel;
import io.whence.model.OffsetResolution;
import io.whence.model.Origin;
import io.whence.model.Outcome;
import io.whence.model.Position;
import io.whence.model.Position.AllAfter;
import io.whence.model.Position.AtOrAfter;
import io.whence.model.Position.AtOrBefore;
import io.whence.model.Position.Earliest;
import io.whence.model.Position.Latest;
import io.whence.model.Position.MaxTimestamp;
import io.whence.model.Resolution;
import io.whence.model.TimeWindow;
import io.whence.resolve.LogResolver;
import io.whence.testkit.BruteForce;
import io.whence.testkit.Fixture.Answer;
import io.whence.testkit.Fixture.Partition;
import io.whence.testkit.Fixture.Query;
import io.whence.testkit.Fixture.Stamp;
import io.whence.testkit.OracleRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Asks a log, and the oracle of the same log, and wants the same answers. Single-writer.
 *
 * @param what names the log in failures
 */
record LogComparison(String what, LogSnapshot log, BruteForce oracle) {
  private static final LogResolver RESOLVER = new LogResolver();

  /** Compares the bounds with what a broker serves. */
  void bounds(Partition partition) {
    assertThat(log.logStartOffset()).as(what).isEqualTo(partition.logStartOffset());
    assertThat(log.highWatermark()).as(what).isEqualTo(partition.highWatermark());
    assertThat(log.lastStableOffset()).as(what).isEqualTo(partition.lastStableOffset());
  }

  /** Compares the positions by name, and returns how many answers were compared. */
  int named() {
    for (IsolationLevel isolation : IsolationLevel.values()) {
      position(new Earliest(), isolation);
      position(new Latest(), isolation);
      position(new MaxTimestamp(), isolation);
    }
    return 3 * IsolationLevel.values().length;
  }

  /** Compares recorded answers to times with those of the log, and both with the oracle. */
  int recorded(List<Query> queries) {
    for (Query query : queries) {
      for (IsolationLevel isolation : IsolationLevel.values()) {
        recorded(query, isolation);
      }
    }
    return queries.size() * IsolationLevel.values().length;
  }

  private void recorded(Query query, IsolationLevel isolation) {
    Answer expected = query.answers().get(isolation);
    long target = query.timestampMs();
    String as = what + " " + isolation + " " + query;
    assertThat(stamp(position(new AtOrAfter(target), isolation)))
        .as(as)
        .isEqualTo(expected.firstAtOrAfter());
    assertThat(stamp(position(new AtOrBefore(target), isolation)))
        .as(as)
        .isEqualTo(expected.lastAtOrBefore());
    Resolution allAfter = position(new AllAfter(target), isolation);
    assertThat(allAfter.boundaryOffset()).as(as).isEqualTo(expected.suffixSafeOffset());
    if (allAfter.outcome() == Outcome.FOUND) {
      assertThat(allAfter.offset()).as(as).isEqualTo(expected.suffixSafeOffset());
    }
  }

  /** Compares random times and windows. */
  int random(Random random, int count) {
    List<OracleRecord> records = oracle.visible(IsolationLevel.READ_UNCOMMITTED);
    for (int i = 0; i < count; i++) {
      long first = target(records, random);
      long second = target(records, random);
      TimeWindow window = new TimeWindow(Math.min(first, second), Math.max(first, second));
      for (IsolationLevel isolation : IsolationLevel.values()) {
        position(new AtOrAfter(first), isolation);
        position(new AtOrBefore(first), isolation);
        position(new AllAfter(first), isolation);
        window(window, isolation);
      }
    }
    return count * IsolationLevel.values().length * 4;
  }

  private static long target(List<OracleRecord> records, Random random) {
    int kind = random.nextInt(12);
    if (records.isEmpty() || kind == 0) {
      long[] odd = {0, 1, -1, -2, Long.MIN_VALUE, Long.MAX_VALUE, 1_700_000_000_000L};
      return odd[random.nextInt(odd.length)];
    }
    long near = records.get(random.nextInt(records.size())).timestampMs();
    return kind < 9 ? near + random.nextInt(3) - 1 : near + random.nextInt(200_001) - 100_000;
  }

  Resolution position(Position position, IsolationLevel isolation) {
    Resolution answer = RESOLVER.resolve(log, position, isolation, Cancellation.NONE);
    assertThat(BruteForce.comparable(answer))
        .as("%s %s %s", what, position, isolation)
        .isEqualTo(oracle.resolve(position, isolation));
    return answer;
  }

  void window(TimeWindow window, IsolationLevel isolation) {
    assertThat(
            BruteForce.comparable(
                RESOLVER.resolveWindow(log, window, isolation, Cancellation.NONE)))
        .as("%s %s %s", what, window, isolation)
        .isEqualTo(oracle.resolveWindow(window, isolation));
  }

  /** Compares what lies at offsets, in steps, from below the log start to behind the end. */
  int offsets(int step) {
    int compared = 0;
    for (IsolationLevel isolation : IsolationLevel.values()) {
      List<OracleRecord> visible = new ArrayList<>(oracle.visible(isolation));
      int next = 0;
      for (long offset = 0; offset <= log.highWatermark() + 1; offset += step) {
        while (next < visible.size() && visible.get(next).offset() < offset) {
          next++;
        }
        assertThat(
                BruteForce.comparable(
                    RESOLVER.resolveOffset(log, offset, isolation, Cancellation.NONE)))
            .as("%s offset %s %s", what, offset, isolation)
            .isEqualTo(expected(offset, visible, next, isolation));
        compared++;
      }
    }
    return compared;
  }

  /** The oracle would look at all records for every offset. */
  private OffsetResolution expected(
      long offset, List<OracleRecord> visible, int next, IsolationLevel isolation) {
    boolean startCut = offset < log.logStartOffset();
    if (next == visible.size()) {
      Outcome outcome = visible.isEmpty() ? Outcome.EMPTY : Outcome.AFTER_END;
      return new OffsetResolution(
          outcome, false, null, oracle.bounds(isolation), startCut, Origin.LOG_SCAN);
    }
    OracleRecord record = visible.get(next);
    return new OffsetResolution(
        record.isTimed() ? Outcome.FOUND : Outcome.NO_TIMESTAMP,
        record.offset() == offset,
        record.stamp(),
        oracle.bounds(isolation),
        startCut,
        Origin.LOG_SCAN);
  }

  private static @Nullable Stamp stamp(Resolution answer) {
    return answer.record() == null
        ? null
        : new Stamp(
            answer.offset(), answer.record().timestampMs(), answer.record().partitionLeaderEpoch());
  }
}
