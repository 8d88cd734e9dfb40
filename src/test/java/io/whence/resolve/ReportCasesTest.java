package io.whence.resolve;

import static io.whence.model.IsolationLevel.READ_COMMITTED;
import static io.whence.model.IsolationLevel.READ_UNCOMMITTED;
import static org.assertj.core.api.Assertions.assertThat;

import io.whence.log.LogSnapshot;
import io.whence.model.LogBounds;
import io.whence.model.OffsetRange;
import io.whence.model.OffsetResolution;
import io.whence.model.Outcome;
import io.whence.model.Position.AllAfter;
import io.whence.model.Position.AtOrAfter;
import io.whence.model.Position.AtOrBefore;
import io.whence.model.Position.Earliest;
import io.whence.model.Position.Latest;
import io.whence.model.Position.MaxTimestamp;
import io.whence.model.Resolution;
import io.whence.model.TimeWindow;
import io.whence.model.WindowResolution;
import io.whence.record.CompressionCodec;
import io.whence.testkit.BatchBuilder;
import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What other projects' users reported about lookups, each as a rule of ours. */
class ReportCasesTest extends WrittenLogFixture {
  private static final long DAY_MS = 86_400_000;

  // Report 1.
  @ParameterizedTest
  @CsvSource({"102, 2, 102", "104, 4, 104", "105, 5, 200", "201, 6, 201"})
  void atOrAfter_insideBatches_isTheRecordNotItsBatch(long target, long offset, long timestampMs) {
    LogSnapshot log = load(log("0:100 1:101 2:102 3:103 4:104 | 5:200 6:201"));

    assertFound(resolve(log, new AtOrAfter(target)), offset, timestampMs);
  }

  // Report 2.
  @ParameterizedTest
  @EnumSource(CompressionCodec.class)
  void atOrAfter_anyCodec_isTheSame(CompressionCodec codec) {
    LogSnapshot log = load(empty().codec(codec).write("0:100 1:200 2:300"));

    assertFound(resolve(log, new AtOrAfter(150)), 1, 200);
  }

  // Report 4.
  @Test
  void disorder_twoPositions_haveTwoAnswers() {
    LogSnapshot log = load(log("0:500 1:100 2:600"));

    assertFound(resolve(log, new AtOrAfter(300)), 0, 500);
    assertFound(resolve(log, new AllAfter(300)), 2, 600);
  }

  // Report 5.
  @ParameterizedTest
  @CsvSource({"2, 0, 2", "3, 1, 4", "5, 2, 6", "7, 3, 8"})
  void atOrAfter_betweenRecords_isTheLaterOne(long target, long offset, long timestampMs) {
    LogSnapshot log = load(log("0:2 1:4 2:6 3:8"));

    assertFound(resolve(log, new AtOrAfter(target)), offset, timestampMs);
    assertNothing(resolve(log, new AtOrAfter(9)), Outcome.AFTER_END, 4);
  }

  // Reports 7 and 25.
  @Test
  void atOrAfter_laterThanAll_isNothingWithTheEnd() {
    assertNothing(resolve(load(log("0:10")), new AtOrAfter(11)), Outcome.AFTER_END, 1);

    LogSnapshot ten = load(log("0:0 1:1 2:2 3:3 4:4 5:5 6:6 7:7 8:8 9:9"));
    assertNothing(resolve(ten, new AtOrAfter(10)), Outcome.AFTER_END, 10);
  }

  // Report 8.
  @Test
  void atOrAfter_openTransaction_isHiddenFromReadersOfCommitted() {
    byte[] undecided = BatchBuilder.batch(2).producer(7, 0).transactional().record(30).build();
    LogSnapshot log =
        load(empty().segment(0, BatchBuilder.batch(0).records(10, 20).build(), undecided));

    assertNothing(resolve(log, new AtOrAfter(25), READ_COMMITTED), Outcome.AFTER_END, 2);
    assertFound(resolve(log, new AtOrAfter(25), READ_UNCOMMITTED), 2, 30);
  }

  // Report 14.
  @Test
  void emptyPartition_everyPosition_substitutesNothing() {
    LogSnapshot log = load(log("0:1 1:2 2:3 3:4 4:5 5:6 6:7").startingAt(7));

    assertNothing(resolve(log, new MaxTimestamp()), Outcome.EMPTY, 7);
    assertNothing(resolve(log, new AtOrAfter(5)), Outcome.EMPTY, 7);
    assertThat(resolve(log, new Latest()).offset()).isEqualTo(7);
    assertThat(resolve(log, new Earliest()).offset()).isEqualTo(7);
    assertThat(resolve(log, new Latest()).record()).isNull();
  }

  // Report 17.
  @ParameterizedTest
  @EnumSource(CompressionCodec.class)
  void atOrAfter_trimmedInsideABatch_isCutByTheStart(CompressionCodec codec) {
    WrittenLog written = empty().codec(codec).startingAt(5);
    LogSnapshot log =
        load(written.write("0:100 1:101 2:102 3:103 4:104 5:105 6:106 7:107 8:108 9:109"));

    Resolution answer = resolve(log, new AtOrAfter(102));

    assertFound(answer, 5, 105);
    assertThat(answer.startCut()).isTrue();
  }

  // Report 22.
  @Test
  void atOrAfter_betweenTwoSegments_isTheFirstOfTheLast() {
    assertFound(resolve(load(log("0:0 1:10 || 2:40 3:50")), new AtOrAfter(25)), 2, 40);
  }

  // Report 23.
  @Test
  void atOrAfter_emptyLastSegment_doesNotEndTheSearch() {
    LogSnapshot log = load(log("0:10 1:20 ||"));

    assertFound(resolve(log, new AtOrAfter(15)), 1, 20);
    assertFound(resolve(log, new AtOrAfter(5)), 0, 10);
    assertNothing(resolve(log, new AtOrAfter(21)), Outcome.AFTER_END, 2);
  }

  // Report 26.
  @Test
  void window_endingAfterEverything_endsAtTheEnd() {
    LogSnapshot log = load(log("0:0 1:1 2:2 3:3 4:4 5:5 6:6 7:7 8:8 9:9"));

    WindowResolution answer = resolve(log, new TimeWindow(5, 1009));

    assertThat(answer.range()).isEqualTo(new OffsetRange(5, 10));
    assertThat(answer.recordCount()).isEqualTo(5);
    assertThat(answer.outsideCount()).isZero();
  }

  // Report 28.
  @Test
  void atOrAfter_oneTimeForAll_isTheFirstWhateverTheSize() {
    for (int size = 1; size <= 64; size++) {
      long[] times = new long[size];
      Arrays.fill(times, 700);
      WrittenLog written = empty().segment(0, BatchBuilder.batch(0).records(times).build());

      assertFound(resolve(load(written), new AtOrAfter(700)), 0, 700);
    }
  }

  // Report 31.
  @Test
  void between_atOrAfterAndAtOrBefore_differ() {
    LogSnapshot log = load(log("0:10 1:20"));

    assertFound(resolve(log, new AtOrAfter(15)), 1, 20);
    assertFound(resolve(log, new AtOrBefore(15)), 0, 10);
  }

  // Report 35.
  @Test
  void atOrAfter_offsetsAndTimesMonthsApart_isTheLowestOffset() {
    long june = ms("2026-06-29T00:00:00Z");
    long march = ms("2026-03-23T00:00:00Z");
    long april = ms("2026-04-01T00:00:00Z");
    LogSnapshot log =
        load(log("0:" + march + " | 19155:" + june + " | 24439:" + march + " | 24440:" + april));

    assertFound(resolve(log, new AtOrAfter(april)), 19155, june);
    assertFound(resolve(log, new AllAfter(april)), 24440, april);
  }

  // Report 38.
  @Test
  void compactedStart_time_findsTheFirstThatIsLeft() {
    LogSnapshot log = load(empty().segment(0, BatchBuilder.batch(7).records(50, 60).build()));

    assertFound(resolve(log, new AtOrAfter(0)), 7, 50);
    Resolution earliest = resolve(log, new Earliest());
    assertThat(earliest.offset()).isZero();
    assertThat(Objects.requireNonNull(earliest.record()).offset()).isEqualTo(7);
  }

  // Report 40.
  @Test
  void offset_compactedAway_isTheNextWithItsTime() {
    LogSnapshot log = load(log("0:1 1:2 2:3 3:4 4:5 | 7:50"));

    OffsetResolution answer = resolve(log, 5, READ_UNCOMMITTED);

    assertThat(answer.outcome()).isEqualTo(Outcome.FOUND);
    assertThat(answer.exact()).isFalse();
    assertThat(Objects.requireNonNull(answer.record()).offset()).isEqualTo(7);
    assertThat(Objects.requireNonNull(answer.record()).timestampMs()).isEqualTo(50);
  }

  // Report 41.
  @Test
  void atOrAfter_nowInAQuietPartition_isNoFailure() {
    long now = ms("2026-08-01T00:00:00Z");
    LogSnapshot log = load(log("0:" + (now - 2 * DAY_MS)));

    assertNothing(resolve(log, new AtOrAfter(now)), Outcome.AFTER_END, 1);
  }

  // Reports 43 and 44.
  @Test
  void onePartition_severalQuestions_haveTheirOwnAnswers() {
    LogSnapshot log = load(log("0:10 1:20 2:30"));

    List<Long> offsets =
        Stream.of(10L, 15L, 25L, 15L)
            .map(target -> resolve(log, new AtOrAfter(target)).offset())
            .toList();

    assertThat(offsets).containsExactly(0L, 1L, 2L, 1L);
  }

  // Report 50.
  @Test
  void nothing_forThreeReasons_hasThreeNames() throws IOException {
    assertNothing(resolve(load(log("0:10")), new AtOrAfter(11)), Outcome.AFTER_END, 1);
    assertNothing(resolve(load(log("0:-1")), new AtOrAfter(11)), Outcome.NO_TIMESTAMP, 1);
    deleteFiles();
    assertNothing(resolve(load(log("")), new AtOrAfter(11)), Outcome.EMPTY, 0);
  }

  // Report 65.
  @Test
  void emptyPartition_bounds_areThereToFallBackOn() {
    Resolution answer = resolve(load(log("0:1 1:2 2:3 3:4").startingAt(4)), new AtOrAfter(2));

    assertThat(answer.outcome()).isEqualTo(Outcome.EMPTY);
    assertThat(answer.bounds()).isEqualTo(new LogBounds(4, 4));
  }

  // Report 98.
  @Test
  void leaderEpoch_laterOnesSince_isThatOfTheRecord() {
    WrittenLog written =
        empty()
            .segment(
                0,
                BatchBuilder.batch(0).leaderEpoch(1).records(1, 2, 3, 4, 5).build(),
                BatchBuilder.batch(5).leaderEpoch(2).record(60).build(),
                BatchBuilder.batch(6).leaderEpoch(7).record(70).build());

    Resolution answer = resolve(load(written), new AtOrAfter(60));

    assertFound(answer, 5, 60);
    assertThat(Objects.requireNonNull(answer.record()).leaderEpoch()).hasValue(2);
  }

  // Report 176.
  @Test
  void window_disorder_saysHowManyAreOutside() {
    WindowResolution answer =
        resolve(load(log("0:5 1:10 | 2:99 3:11 | 4:30")), new TimeWindow(10, 12));

    assertThat(answer.range()).isEqualTo(new OffsetRange(1, 4));
    assertThat(answer.recordCount()).isEqualTo(3);
    assertThat(answer.outsideCount()).isEqualTo(1);
  }

  private static long ms(String instant) {
    return Instant.parse(instant).toEpochMilli();
  }
}
