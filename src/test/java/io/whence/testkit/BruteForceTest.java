package io.whence.testkit;

import static io.whence.model.IsolationLevel.READ_COMMITTED;
import static io.whence.model.IsolationLevel.READ_UNCOMMITTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.model.IsolationLevel;
import io.whence.model.OffsetRange;
import io.whence.model.OffsetResolution;
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
import io.whence.model.WindowResolution;
import io.whence.testkit.OracleRecord.Kind;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BruteForceTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        // Records inside a batch are neither skipped nor stand for their batch.
        "0:100 1:101 2:102 3:103 4:104 5:200 6:201; 102; 2",
        "0:100 1:101 2:102 3:103 4:104 5:200 6:201; 104; 4",
        "0:100 1:101 2:102 3:103 4:104 5:200 6:201; 105; 5",
        "0:100 1:101 2:102 3:103 4:104 5:200 6:201; 201; 6",
        "0:100 1:200 2:300; 150; 1",
        // A time between two records is answered by the later one.
        "0:2 1:4 2:6 3:8; 2; 0",
        "0:2 1:4 2:6 3:8; 3; 1",
        "0:2 1:4 2:6 3:8; 5; 2",
        "0:2 1:4 2:6 3:8; 7; 3",
        "0:0 1:10 2:40 3:50; 25; 2",
        "0:10 1:20; 5; 0",
        "0:10 1:20; 15; 1",
        "0:700 1:700 2:700; 700; 0",
        // Disorder: the lowest offset, not the nearest time.
        "0:500 1:100 2:600; 300; 0",
        "0:1000 1:2000 2:1500 3:3000 4:2500; 1001; 1",
        "0:1000 1:2000 2:1500 3:3000 4:2500; 1501; 1",
        "0:1000 1:2000 2:1500 3:3000 4:2500; 2001; 3",
        // Gaps of compaction.
        "7:50 8:60; 0; 7",
      })
  void atOrAfter_recordQualifies_isItsOffset(String log, long target, long offset) {
    Resolution answer = log(log).resolve(new AtOrAfter(target), READ_UNCOMMITTED);

    assertThat(answer.outcome()).isEqualTo(Outcome.FOUND);
    assertThat(answer.offset()).isEqualTo(offset);
    assertThat(recordOffset(answer)).isEqualTo(offset);
    assertThat(answer.boundaryOffset()).isZero();
    assertThat(answer.startCut()).isFalse();
  }

  @Test
  void atOrAfter_allBefore_isAfterEndWithEndAndNoOffset() {
    Resolution answer = log("0:2 1:4 2:6 3:8").resolve(new AtOrAfter(9), READ_UNCOMMITTED);

    assertThat(answer.outcome()).isEqualTo(Outcome.AFTER_END);
    assertThat(answer.record()).isNull();
    assertThat(answer.bounds().endOffset()).isEqualTo(4);
  }

  @Test
  void atOrAfter_startTrimmedIntoBatch_isFirstVisibleAndStartCut() {
    BruteForce log = log("0:100 1:101 2:102 3:103 4:104 5:105 6:106 7:107 8:108 9:109", 5, 10, 10);

    Resolution answer = log.resolve(new AtOrAfter(102), READ_UNCOMMITTED);

    assertThat(answer.offset()).isEqualTo(5);
    assertThat(answer.startCut()).isTrue();
    assertThat(log.resolve(new AtOrAfter(106), READ_UNCOMMITTED).startCut()).isFalse();
    assertThat(log.resolve(new AtOrAfter(110), READ_UNCOMMITTED).startCut()).isFalse();
  }

  @Test
  void atOrAfter_openTransaction_isVisibleToUncommittedOnly() {
    BruteForce log =
        new BruteForce(
            List.of(
                OracleRecord.data(0, 10),
                OracleRecord.data(1, 20),
                new OracleRecord(2, 30, 0, Kind.OPEN_TXN)),
            0,
            3,
            2);

    Resolution committed = log.resolve(new AtOrAfter(25), READ_COMMITTED);

    assertThat(committed.outcome()).isEqualTo(Outcome.AFTER_END);
    assertThat(committed.bounds().endOffset()).isEqualTo(2);
    assertThat(log.resolve(new AtOrAfter(25), READ_UNCOMMITTED).offset()).isEqualTo(2);
  }

  @Test
  void atOrAfter_abortedAndMarkers_hideByIsolation() {
    BruteForce log =
        new BruteForce(
            List.of(
                new OracleRecord(0, 100, 0, Kind.ABORTED),
                new OracleRecord(1, 200, 0, Kind.CONTROL),
                OracleRecord.data(2, 50)),
            0,
            3,
            3);

    assertThat(log.resolve(new AtOrAfter(60), READ_UNCOMMITTED).offset()).isZero();
    assertThat(outcome(log, new AtOrAfter(150), READ_UNCOMMITTED)).isEqualTo(Outcome.AFTER_END);
    assertThat(outcome(log, new AtOrAfter(60), READ_COMMITTED)).isEqualTo(Outcome.AFTER_END);
    assertThat(log.resolve(new MaxTimestamp(), READ_COMMITTED).offset()).isEqualTo(2);
    assertThat(log.resolve(new MaxTimestamp(), READ_UNCOMMITTED).offset()).isZero();
  }

  @Test
  void atOrBefore_between_isTheEarlierOne() {
    assertThat(log("0:10 1:20").resolve(new AtOrBefore(15), READ_UNCOMMITTED).offset()).isZero();
    assertThat(log("0:5 1:9 2:5").resolve(new AtOrBefore(5), READ_UNCOMMITTED).offset())
        .isEqualTo(2);
  }

  @Test
  void atOrBefore_allAfter_isBeforeStartAndCutByTrim() {
    BruteForce log = log("4:10 5:20", 4, 6, 6);

    Resolution answer = log.resolve(new AtOrBefore(9), READ_UNCOMMITTED);

    assertThat(answer.outcome()).isEqualTo(Outcome.BEFORE_START);
    assertThat(answer.startCut()).isTrue();
    assertThat(log.resolve(new AtOrBefore(10), READ_UNCOMMITTED).startCut()).isFalse();
  }

  @Test
  void allAfter_disorder_skipsBehindTheLastEarlierRecord() {
    Resolution answer = log("0:500 1:100 2:600").resolve(new AllAfter(300), READ_UNCOMMITTED);

    assertThat(answer.outcome()).isEqualTo(Outcome.FOUND);
    assertThat(answer.offset()).isEqualTo(2);
    assertThat(answer.boundaryOffset()).isEqualTo(2);
  }

  @Test
  void allAfter_gapBehindBoundary_givesBoundaryAndNextRecord() {
    Resolution answer = log("0:1 1:2 9:-1 10:7").resolve(new AllAfter(3), READ_UNCOMMITTED);

    assertThat(answer.offset()).isEqualTo(2);
    assertThat(recordOffset(answer)).isEqualTo(9);
  }

  @Test
  void allAfter_onlyUntimedBehindBoundary_isAfterEndWithBoundary() {
    Resolution answer = log("0:1 1:2 2:-1").resolve(new AllAfter(3), READ_UNCOMMITTED);

    assertThat(answer.outcome()).isEqualTo(Outcome.AFTER_END);
    assertThat(answer.boundaryOffset()).isEqualTo(2);
    assertThat(answer.record()).isNull();
  }

  @Test
  void allAfter_nothingEarlier_startsAtLogStartAndIsCut() {
    Resolution answer = log("6:10 7:20", 5, 8, 8).resolve(new AllAfter(10), READ_UNCOMMITTED);

    assertThat(answer.offset()).isEqualTo(5);
    assertThat(recordOffset(answer)).isEqualTo(6);
    assertThat(answer.startCut()).isTrue();
  }

  @Test
  void names_compactedStart_areBoundsAndRecords() {
    BruteForce log = log("7:60 8:60 9:50", 0, 12, 12);

    assertThat(log.resolve(new Earliest(), READ_UNCOMMITTED).offset()).isZero();
    assertThat(recordOffset(log.resolve(new Earliest(), READ_UNCOMMITTED))).isEqualTo(7);
    assertThat(log.resolve(new Latest(), READ_UNCOMMITTED).offset()).isEqualTo(12);
    assertThat(log.resolve(new Latest(), READ_UNCOMMITTED).record()).isNull();
    assertThat(log.resolve(new MaxTimestamp(), READ_UNCOMMITTED).offset()).isEqualTo(7);
  }

  @Test
  void empty_everyPosition_substitutesNothing() {
    BruteForce log = log("0:1 1:2", 7, 7, 7);

    assertThat(log.resolve(new Earliest(), READ_UNCOMMITTED).offset()).isEqualTo(7);
    assertThat(log.resolve(new Latest(), READ_UNCOMMITTED).offset()).isEqualTo(7);
    assertThat(log.resolve(new MaxTimestamp(), READ_UNCOMMITTED).startCut()).isFalse();
    for (Position position : timePositions(0)) {
      Resolution answer = log.resolve(position, READ_UNCOMMITTED);
      assertThat(answer.outcome()).isEqualTo(Outcome.EMPTY);
      assertThat(answer.boundaryOffset()).isEqualTo(position instanceof AllAfter ? 7 : 0);
      assertThat(answer.startCut()).isEqualTo(!(position instanceof MaxTimestamp));
    }
  }

  @Test
  void untimed_everyTimePosition_isNoTimestamp() {
    BruteForce log = log("0:-1 1:-1");

    for (Position position : timePositions(5)) {
      assertThat(outcome(log, position, READ_UNCOMMITTED)).isEqualTo(Outcome.NO_TIMESTAMP);
    }
    assertThat(log.resolveWindow(new TimeWindow(0, 9), READ_UNCOMMITTED).outcome())
        .isEqualTo(Outcome.NO_TIMESTAMP);
    assertThat(recordOffset(log.resolve(new Earliest(), READ_UNCOMMITTED))).isZero();
  }

  @Test
  void window_disorder_countsRangeAndOutsiders() {
    WindowResolution answer =
        log("0:5 1:10 2:99 3:-1 4:11 5:30").resolveWindow(new TimeWindow(10, 12), READ_UNCOMMITTED);

    assertThat(answer.outcome()).isEqualTo(Outcome.FOUND);
    assertThat(answer.range()).isEqualTo(new OffsetRange(1, 5));
    assertThat(answer.recordCount()).isEqualTo(4);
    assertThat(answer.outsideCount()).isEqualTo(2);
    assertThat(Objects.requireNonNull(answer.firstRecord()).offset()).isEqualTo(1);
    assertThat(Objects.requireNonNull(answer.lastRecord()).offset()).isEqualTo(4);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 5, BEFORE_START, true",
    "21, 30, AFTER_END, false",
    "11, 20, NONE_IN_WINDOW, false",
    "10, 10, BEFORE_START, true",
    "15, 15, NONE_IN_WINDOW, false",
    "21, 21, AFTER_END, false",
    "0, 11, FOUND, true",
    "15, 21, FOUND, false",
  })
  void window_aroundRecords_saysWhere(long from, long to, Outcome outcome, boolean startCut) {
    WindowResolution answer =
        log("3:10 4:20", 3, 5, 5).resolveWindow(new TimeWindow(from, to), READ_UNCOMMITTED);

    assertThat(answer.outcome()).isEqualTo(outcome);
    assertThat(answer.startCut()).isEqualTo(startCut);
  }

  @ParameterizedTest
  @CsvSource({
    "0, FOUND, 7, false, true",
    "5, FOUND, 7, false, false",
    "7, FOUND, 7, true, false",
    "8, NO_TIMESTAMP, 8, true, false",
    "9, AFTER_END, -1, false, false",
  })
  void offset_gapAndUntimed_isNextRecord(
      long offset, Outcome outcome, long record, boolean exact, boolean startCut) {
    OffsetResolution answer = log("7:50 8:-1", 5, 9, 9).resolveOffset(offset, READ_UNCOMMITTED);

    assertThat(answer.outcome()).isEqualTo(outcome);
    assertThat(answer.record() == null ? -1 : answer.record().offset()).isEqualTo(record);
    assertThat(answer.exact()).isEqualTo(exact);
    assertThat(answer.startCut()).isEqualTo(startCut);
  }

  @Test
  void offset_noRecords_isEmpty() {
    assertThat(log("", 5, 5, 5).resolveOffset(5, READ_UNCOMMITTED).outcome())
        .isEqualTo(Outcome.EMPTY);
  }

  @Test
  void records_outOfOrder_areRefused() {
    assertThatThrownBy(() -> log("1:10 1:20")).hasMessageContaining("offset 1 follows 1");
  }

  private static List<Position> timePositions(long target) {
    return List.of(
        new AtOrAfter(target), new AtOrBefore(target), new AllAfter(target), new MaxTimestamp());
  }

  private static Outcome outcome(BruteForce log, Position position, IsolationLevel isolation) {
    return log.resolve(position, isolation).outcome();
  }

  private static long recordOffset(Resolution answer) {
    return Objects.requireNonNull(answer.record()).offset();
  }

  private static BruteForce log(String log) {
    List<OracleRecord> records = records(log);
    long end = records.get(records.size() - 1).offset() + 1;
    return new BruteForce(records, 0, end, end);
  }

  private static BruteForce log(String log, long logStart, long highWatermark, long lastStable) {
    return new BruteForce(records(log), logStart, highWatermark, lastStable);
  }

  /** Reads {@code offset:timestamp} pairs. */
  private static List<OracleRecord> records(String log) {
    return Arrays.stream(log.split(" "))
        .filter(word -> !word.isEmpty())
        .map(word -> word.split(":"))
        .map(pair -> OracleRecord.data(Long.parseLong(pair[0]), Long.parseLong(pair[1])))
        .toList();
  }
}
