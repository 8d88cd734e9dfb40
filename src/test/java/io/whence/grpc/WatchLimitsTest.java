package io.whence.grpc;

import static io.whence.grpc.WatchHarness.NOW;
import static io.whence.grpc.WatchHarness.query;
import static io.whence.grpc.WatchHarness.queryOf;
import static io.whence.grpc.WatchHarness.request;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Duration;
import io.grpc.Context;
import io.grpc.Status;
import io.whence.v1.ErrorReason;
import io.whence.v1.WatchProgress;
import io.whence.v1.WatchQuery;
import io.whence.v1.WatchTimestampResponse;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What watches refuse, hold, and let go. */
class WatchLimitsTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final WatchHarness harness;

  WatchLimitsTest() throws IOException {
    harness = new WatchHarness();
  }

  @AfterEach
  void close() throws IOException {
    harness.close();
  }

  @Test
  void cancelled_letGoByAWorker_nothingIsLeft() {
    harness.begin(query(NOW));
    assertThat(harness.watches.watchCount()).isEqualTo(1);
    assertThat(harness.watches.partitionCount()).isEqualTo(3);

    harness.call.cancel();

    assertThat(harness.source.watchCount()).isEqualTo(3);
    harness.workers.work();
    harness.assertNothingIsLeft();
    harness.append(0, NOW);
    assertThat(harness.call.messages()).hasSize(1);
  }

  @Test
  void cancelledWhileWorkersAreFull_letGoWhenTheyAreNot() {
    harness.begin(query(NOW));
    harness.workers.fill(true);
    harness.call.cancel();
    harness.watches.tick(0);
    assertThat(harness.watches.watchCount()).isEqualTo(1);

    harness.workers.fill(false);
    harness.watches.tick(1);
    harness.workers.work();

    harness.assertNothingIsLeft();
  }

  @Test
  void cancelledBeforeItsFirstTurn_nothingIsLeft() {
    harness.watches.begin(request(query(NOW)), harness.call);
    harness.call.cancel();
    harness.workers.work();

    assertThat(harness.call.messages()).isEmpty();
    harness.assertNothingIsLeft();
  }

  @Test
  void slowReader_getsEachPartitionOnceWhenItReads() {
    harness.source.widen("wide", "t", 1_000);
    harness.call.take(1);
    harness.begin(queryOf("wide", NOW));
    harness.append(0, NOW);
    harness.append(1, NOW);
    harness.append(2, NOW);
    assertThat(harness.call.messages()).hasSize(1);

    for (int i = 0; i < 20; i++) {
      harness.call.take(100);
      harness.workers.work();
    }

    assertThat(harness.call.messages()).hasSize(1_002);
    assertThat(harness.call.messages().subList(1, 1_001))
        .extracting(event -> event.getPartition().getAnswer().getPartition())
        .doesNotHaveDuplicates();
    assertThat(harness.call.isCompleted()).isTrue();
    harness.assertNothingIsLeft();
  }

  @Test
  void readerThatStalls_isEnded() {
    harness.call.take(1);
    harness.begin(query(NOW));
    harness.watches.tick(0);
    harness.watches.tick(100 * SECOND);
    harness.append(0, NOW);
    harness.watches.tick(101 * SECOND);
    harness.watches.tick(130 * SECOND);
    assertThat(harness.call.failureCode()).isEmpty();

    harness.watches.tick(131 * SECOND);

    assertThat(harness.call.failureCode()).contains(Status.Code.RESOURCE_EXHAUSTED);
    harness.assertNothingIsLeft();
  }

  @Test
  void readerThatTakesSomeNowAndThen_isNotEnded() {
    harness.call.take(1);
    harness.begin(query(NOW));
    harness.append(0, NOW);
    harness.append(1, NOW);
    harness.watches.tick(0);
    harness.call.take(1);
    harness.workers.work();
    harness.watches.tick(29 * SECOND);
    harness.watches.tick(31 * SECOND);

    assertThat(harness.call.failureCode()).isEmpty();
    assertThat(harness.call.messages()).hasSize(2);
  }

  @Test
  void progress_isToldAtItsIntervalUntilDone() {
    harness.begin(
        request(query(NOW)).toBuilder()
            .setProgressInterval(Duration.newBuilder().setSeconds(2))
            .build(),
        harness.call);
    harness.watches.tick(0);
    harness.append(0, NOW);
    harness.watches.tick(SECOND);
    harness.workers.work();
    assertThat(harness.call.messages()).hasSize(2);
    harness.watches.tick(2 * SECOND);
    harness.workers.work();

    assertThat(harness.call.messages().get(2).getProgress())
        .isEqualTo(WatchProgress.newBuilder().setReachedCount(1).setWaitingCount(2).build());
    harness.append(1, NOW);
    harness.append(2, NOW);
    assertThat(harness.call.isCompleted()).isTrue();
    harness.watches.tick(10 * SECOND);
    assertThat(harness.call.messages()).hasSize(6);
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "0, 999999999", "-1, 0", "1, 2000000000"})
  void badProgressInterval_refused(long seconds, int nanos) {
    harness.begin(
        request(query(NOW)).toBuilder()
            .setProgressInterval(Duration.newBuilder().setSeconds(seconds).setNanos(nanos))
            .build(),
        harness.call);

    assertThat(harness.call.failureCode()).contains(Status.Code.INVALID_ARGUMENT);
    assertThat(harness.call.failure().orElseThrow()).hasMessageContaining("progress_interval: ");
    harness.assertNothingIsLeft();
  }

  @Test
  void changedPartitionCount_refused() {
    harness.begin(query(NOW, 0).toBuilder().setExpectPartitionCount(4).build());

    assertThat(harness.call.failureCode()).contains(Status.Code.FAILED_PRECONDITION);
    harness.assertNothingIsLeft();
  }

  @Test
  void unknownTopic_failsTheCallOrEachPartitionThatWasNamed() {
    WatchQuery unknown = queryOf("none", NOW);
    harness.begin(unknown);
    assertThat(harness.call.failureCode()).contains(Status.Code.NOT_FOUND);

    RecordingCall<WatchTimestampResponse> other = new RecordingCall<>();
    harness.watches.begin(request(unknown.toBuilder().addPartitions(3).build()), other);
    harness.workers.work();

    assertThat(other.messages().get(1).getPartition().getAnswer().getError().getReason())
        .isEqualTo(ErrorReason.ERROR_REASON_UNKNOWN_TOPIC);
    assertThat(other.isCompleted()).isTrue();
    harness.assertNothingIsLeft();
  }

  @Test
  void noQueriesOrNoTime_refused() {
    harness.begin();
    assertThat(harness.call.failure().orElseThrow())
        .hasMessageContaining("queries: give at least one");

    RecordingCall<WatchTimestampResponse> other = new RecordingCall<>();
    harness.watches.begin(request(WatchQuery.newBuilder().setTopic("t").build()), other);
    harness.workers.work();
    assertThat(other.failure().orElseThrow()).hasMessageContaining("queries[0].time: ");
    harness.assertNothingIsLeft();
  }

  @Test
  void moreOfAConnectionThanItsShare_turnedAway_othersAreNot() throws Exception {
    Context one = Context.current().withValue(Caller.KEY, new Caller(null, new Connection()));
    harness.source.widen("wide", "t", 9_998);
    one.call(() -> begun(query(NOW)));
    RecordingCall<WatchTimestampResponse> wide = one.call(() -> begun(queryOf("wide", NOW)));
    RecordingCall<WatchTimestampResponse> second = one.call(() -> begun(query(NOW)));
    RecordingCall<WatchTimestampResponse> third = one.call(() -> begun(query(NOW)));
    RecordingCall<WatchTimestampResponse> other = begun(queryOf("wide", NOW));

    assertThat(wide.failureCode()).contains(Status.Code.RESOURCE_EXHAUSTED);
    assertThat(wide.failure().orElseThrow())
        .hasMessageContaining("a connection may have 10000 watched partitions");
    assertThat(third.failure().orElseThrow())
        .hasMessageContaining("a connection may have 2 watches");
    assertThat(other.failure()).isEmpty();
    second.cancel();
    harness.workers.work();
    assertThat(one.call(() -> begun(query(NOW))).failure()).isEmpty();
  }

  private RecordingCall<WatchTimestampResponse> begun(WatchQuery query) {
    RecordingCall<WatchTimestampResponse> call = new RecordingCall<>();
    harness.begin(request(query), call);
    return call;
  }

  @Test
  void moreWatchesThanThereMayBe_turnedAway() {
    for (int i = 0; i < 8; i++) {
      harness.begin(query(NOW));
    }
    RecordingCall<WatchTimestampResponse> third = new RecordingCall<>();

    harness.watches.begin(request(query(NOW)), third);

    assertThat(third.failureCode()).contains(Status.Code.RESOURCE_EXHAUSTED);
    assertThat(harness.watches.watchCount()).isEqualTo(8);
  }

  @Test
  void morePartitionsThanMayBeWatched_turnedAway() {
    harness.source.widen("wide", "t", 10_000);
    for (int i = 0; i < 4; i++) {
      harness.begin(i < 3 ? queryOf("wide", NOW) : query(NOW));
    }
    RecordingCall<WatchTimestampResponse> second = new RecordingCall<>();

    harness.watches.begin(request(queryOf("wide", NOW)), second);
    harness.workers.work();

    assertThat(second.failureCode()).contains(Status.Code.RESOURCE_EXHAUSTED);
    assertThat(harness.watches.partitionCount()).isEqualTo(3 * 10_000 + 3);
    assertThat(harness.source.watchCount()).isEqualTo(3 * 10_000 + 3);
  }

  @Test
  void workersFullAtTheBegin_turnedAway() {
    harness.workers.fill(true);

    harness.watches.begin(request(query(NOW)), harness.call);

    assertThat(harness.call.failureCode()).contains(Status.Code.RESOURCE_EXHAUSTED);
    harness.assertNothingIsLeft();
  }

  @Test
  void workersFullLater_looksWhenTheyAreNot() {
    harness.begin(query(NOW, 0));
    harness.workers.fill(true);
    harness.source.append("t", 0, NOW);
    harness.watches.tick(0);
    harness.workers.fill(false);
    assertThat(harness.call.messages()).hasSize(1);

    harness.watches.tick(1);
    harness.workers.work();

    assertThat(harness.call.isCompleted()).isTrue();
  }

  @Test
  void drained_endsAllAndRefusesNewOnes() {
    harness.begin(query(NOW));

    harness.watches.drain();

    assertThat(harness.call.failureCode()).contains(Status.Code.UNAVAILABLE);
    assertThat(harness.call.failure().orElseThrow()).hasMessageContaining("the server stops");
    RecordingCall<WatchTimestampResponse> late = new RecordingCall<>();
    harness.watches.begin(request(query(NOW)), late);
    assertThat(late.failureCode()).contains(Status.Code.UNAVAILABLE);
    harness.assertNothingIsLeft();
  }

  @Test
  void tenThousandPartitions_eachToldOnceThenDone() {
    harness.source.widen("wide", "t", 10_000);
    harness.begin(queryOf("wide", NOW));
    assertThat(harness.source.watchCount()).isEqualTo(10_000);

    harness.append(0, NOW - 1);
    harness.append(1, NOW);
    assertThat(harness.call.messages()).hasSize(1 + 3_333);
    harness.append(2, NOW);
    harness.append(0, NOW);

    assertThat(harness.call.messages()).hasSize(10_002);
    assertThat(harness.call.messages().get(10_001).getDone().getReachedCount()).isEqualTo(10_000);
    harness.assertNothingIsLeft();
  }
}
