package io.whence.commit;

import static io.whence.model.IsolationLevel.READ_COMMITTED;
import static io.whence.model.IsolationLevel.READ_UNCOMMITTED;
import static org.assertj.core.api.Assertions.assertThat;

import io.whence.log.TestLogs;
import io.whence.model.Cancellation;
import io.whence.model.IsolationLevel;
import io.whence.model.RecordStamp;
import io.whence.model.TopicId;
import io.whence.resolve.LogResolver;
import io.whence.resolve.WrittenLog;
import io.whence.testkit.BatchBuilder;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What other projects' users reported about lag, each as a rule of ours. */
class LagReaderTest {
  private static final long DAY_MS = 86_400_000;
  private static final long NOW_MS = 100 * DAY_MS;
  private static final TopicId OLD = new TopicId(new UUID(0, 1));
  private static final TopicId NEW = new TopicId(new UUID(0, 2));

  private final LagReader reader = new LagReader(new LogResolver());

  @TempDir Path directory;
  private TestLogs.Loaded log;

  @AfterEach
  void closeFiles() {
    if (log != null) {
      log.close();
    }
  }

  // Report 40.
  @Test
  void gapAtOffset_staleness_isThatOfTheNextRecord() {
    load(written().write("0:10 1:20 | 7:50 8:90"));

    PartitionLag lag = lag(5, 1_000);

    assertThat(lag.status()).isEqualTo(LagStatus.BEHIND);
    assertThat(lag.nextUnread()).map(RecordStamp::offset).hasValue(7L);
    assertThat(lag.stalenessMs()).hasValue(950);
    assertThat(lag.spanMs()).hasValue(40);
    assertThat(lag.offsetLag()).hasValue(4);
    assertThat(lag.recordLag()).hasValue(2);
  }

  // Report 92.
  @Test
  void offsetAboveEnd_lag_isZeroAndSaysHowFar() {
    load(written().write(""));

    PartitionLag lag = lag(100, NOW_MS);

    assertThat(lag.status()).isEqualTo(LagStatus.AHEAD_OF_END);
    assertThat(lag.offsetLag()).hasValue(0);
    assertThat(lag.recordLag()).hasValue(0);
    assertThat(lag.stalenessMs()).hasValue(0);
    assertThat(lag.aheadBy()).hasValue(100);
  }

  // Reports 94 and 95.
  @ParameterizedTest
  @CsvSource({"1000, 5", "5, 10", "0, 10"})
  void topicCreatedAgain_lag_isNotTold(long committed, int records) {
    load(written().segment(0, batch(0, records, i -> i)));

    PartitionLag lag = lag(Commits.offset(committed, OLD), Optional.of(NEW), READ_UNCOMMITTED);

    assertThat(lag.status()).isEqualTo(LagStatus.STALE_TOPIC);
    assertThat(lag.committedOffset()).hasValue(committed);
    assertThat(lag.offsetLag()).isEmpty();
    assertThat(lag.recordLag()).isEmpty();
    assertThat(lag.stalenessMs()).isEmpty();
    assertThat(lag.nextUnread()).isEmpty();
  }

  @Test
  void topicIdOnOneSideOnly_lag_isTold() {
    load(written().segment(0, batch(0, 10, i -> i)));

    assertThat(lag(Commits.offset(4, OLD), Optional.empty(), READ_UNCOMMITTED).recordLag())
        .hasValue(6);
    assertThat(lag(Commits.offset(4), Optional.of(NEW), READ_UNCOMMITTED).recordLag()).hasValue(6);
  }

  // Report 107.
  @Test
  void steadyTraffic_staleness_isThatOfTheRecord() {
    load(written().segment(0, batch(0, 100, i -> 10 * i)));

    assertThat(lag(75, 1_000).stalenessMs()).hasValue(250);
  }

  // Report 109.
  @Test
  void burstyTraffic_staleness_isExact() {
    load(written().segment(0, batch(0, 100, i -> 0), batch(100, 100, i -> DAY_MS)));

    PartitionLag lag = lag(50, DAY_MS);

    assertThat(lag.stalenessMs()).hasValue(DAY_MS);
    assertThat(lag.spanMs()).hasValue(DAY_MS);
    assertThat(lag.recordLag()).hasValue(150);
  }

  // Report 110.
  @Test
  void recordFromTheFuture_staleness_isZeroAndSaysSo() {
    long future = NOW_MS + 600_000;
    load(written().write("0:10 1:" + future + " 2:20"));

    PartitionLag lag = lag(1, NOW_MS);

    assertThat(lag.stalenessMs()).hasValue(0);
    assertThat(lag.isFutureTimestamp()).isTrue();
    assertThat(lag.spanMs()).hasValue(0);
    assertThat(lag(0, NOW_MS).isFutureTimestamp()).isFalse();
    assertThat(lag(0, NOW_MS).spanMs()).hasValue(future - 10);
  }

  // Report 113.
  @Test
  void stoppedConsumer_lag_growsWithClockAndLog() {
    load(written().segment(0, batch(0, 10, i -> 100 * i)));
    PartitionLag before = lag(2, 1_000);
    log.close();
    load(written().segment(0, batch(0, 20, i -> 100 * i)));
    PartitionLag after = lag(2, 2_000);

    assertThat(before.recordLag()).hasValue(8);
    assertThat(after.recordLag()).hasValue(18);
    assertThat(before.stalenessMs()).hasValue(800);
    assertThat(after.stalenessMs()).hasValue(1_800);
  }

  // Report 115.
  @ParameterizedTest
  @CsvSource({"READ_COMMITTED", "READ_UNCOMMITTED"})
  void onlyMarkerLeft_lag_isCaughtUp(IsolationLevel isolation) {
    byte[] data = transactional(0, 10, 7);
    load(written().segment(0, data, BatchBuilder.commit(10, 7, 0, 10)));

    PartitionLag lag = lag(Commits.offset(10), Optional.empty(), isolation);

    assertThat(lag.status()).isEqualTo(LagStatus.CAUGHT_UP);
    assertThat(lag.offsetLag()).hasValue(1);
    assertThat(lag.recordLag()).hasValue(0);
    assertThat(lag.stalenessMs()).hasValue(0);
    assertThat(lag.spanMs()).hasValue(0);
  }

  // Report 116.
  @Test
  void openTransaction_readCommitted_endsAtLastStable() {
    load(written().segment(0, batch(0, 200, i -> i), transactional(200, 1_463, 7)));

    PartitionLag committed = lag(Commits.offset(200), Optional.empty(), READ_COMMITTED);
    PartitionLag uncommitted = lag(Commits.offset(200), Optional.empty(), READ_UNCOMMITTED);

    assertThat(committed.status()).isEqualTo(LagStatus.CAUGHT_UP);
    assertThat(committed.offsetLag()).hasValue(0);
    assertThat(committed.recordLag()).hasValue(0);
    assertThat(committed.stalenessMs()).hasValue(0);
    assertThat(uncommitted.recordLag()).hasValue(1_463);
  }

  // Report 118.
  @Test
  void twoGroups_oneTopic_haveLagsOfTheirOwn() {
    load(written().segment(0, batch(0, 100, i -> i)));

    assertThat(lag(10, NOW_MS).recordLag()).hasValue(90);
    assertThat(lag(70, NOW_MS).recordLag()).hasValue(30);
  }

  @Test
  void offsetBelowStart_lag_countsFromTheStart() {
    load(written().write("0:10 1:20 2:30 3:40 4:50").startingAt(3));

    PartitionLag lag = lag(1, 100);

    assertThat(lag.status()).isEqualTo(LagStatus.BELOW_START);
    assertThat(lag.lostOffsets()).hasValue(2);
    assertThat(lag.offsetLag()).hasValue(2);
    assertThat(lag.recordLag()).hasValue(2);
    assertThat(lag.stalenessMs()).hasValue(60);
  }

  @Test
  void nextRecordWithoutTimestamp_staleness_isUnknown() {
    load(written().write("0:10 1:-1 2:30"));

    PartitionLag lag = lag(1, 100);

    assertThat(lag.status()).isEqualTo(LagStatus.BEHIND);
    assertThat(lag.recordLag()).hasValue(2);
    assertThat(lag.stalenessMs()).isEmpty();
    assertThat(lag.spanMs()).isEmpty();
    assertThat(lag.isFutureTimestamp()).isFalse();
  }

  @Test
  void nothingCommitted_lag_isNotTold() {
    load(written().write("0:10"));

    PartitionLag lag =
        reader.lag(
            Optional.empty(),
            Optional.of(NEW),
            log.log(),
            READ_UNCOMMITTED,
            NOW_MS,
            Cancellation.NONE);

    assertThat(lag.status()).isEqualTo(LagStatus.NO_OFFSET);
    assertThat(lag.committedOffset()).isEmpty();
    assertThat(lag.offsetLag()).isEmpty();
    assertThat(lag.stalenessMs()).isEmpty();
    assertThat(lag.bounds()).hasValue(log.log().bounds(READ_UNCOMMITTED));
  }

  private WrittenLog written() {
    return new WrittenLog(directory);
  }

  private void load(WrittenLog written) {
    log = written.load();
  }

  private PartitionLag lag(long committed, long nowMs) {
    return reader.lag(
        Optional.of(Commits.offset(committed)),
        Optional.of(NEW),
        log.log(),
        READ_UNCOMMITTED,
        nowMs,
        Cancellation.NONE);
  }

  private PartitionLag lag(
      CommittedOffset committed, Optional<TopicId> topicId, IsolationLevel isolation) {
    return reader.lag(
        Optional.of(committed), topicId, log.log(), isolation, NOW_MS, Cancellation.NONE);
  }

  private static byte[] batch(long baseOffset, int count, LongUnaryOperator timestampsMs) {
    return BatchBuilder.batch(baseOffset)
        .records(LongStream.range(0, count).map(timestampsMs).toArray())
        .build();
  }

  private static byte[] transactional(long baseOffset, int count, long producer) {
    return BatchBuilder.batch(baseOffset)
        .producer(producer, 0)
        .transactional()
        .records(LongStream.range(0, count).toArray())
        .build();
  }
}
