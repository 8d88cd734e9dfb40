package io.whence.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Duration;
import io.grpc.Status;
import io.whence.source.SourceCatalog;
import io.whence.testkit.Directories;
import io.whence.v1.ErrorReason;
import io.whence.v1.Outcome;
import io.whence.v1.TimePoint;
import io.whence.v1.TimestampAnswer;
import io.whence.v1.WatchDone;
import io.whence.v1.WatchProgress;
import io.whence.v1.WatchQuery;
import io.whence.v1.WatchTimestampRequest;
import io.whence.v1.WatchTimestampResponse;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WatchesTest {
  private static final long NOW = 1_717_200_000_000L;
  private static final CallLimits LIMITS =
      new CallLimits(20_000, 1, 1, 1, 1, java.time.Duration.ofMinutes(2));
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final Path directory = Directories.temporary("whence-watches");
  private final Deque<Runnable> queue = new ArrayDeque<>();
  private final RecordingCall<WatchTimestampResponse> call = new RecordingCall<>();
  private boolean isFull;
  private ProbedSource source;
  private Watches watches;

  @BeforeEach
  void open() throws IOException {
    source = new ProbedSource(directory, NOW);
    source.createTopic("t", 3);
    watches = watches(new WatchLimits(2, 10_000, java.time.Duration.ofSeconds(30)));
  }

  @AfterEach
  void close() throws IOException {
    source.close();
    Directories.delete(directory);
  }

  @Test
  void reachedAlready_toldAtOnceWithTheWholeAnswer() {
    source.append("t", 1, NOW - 10, NOW + 5, NOW + 7);

    begin(query(NOW, 1));

    assertThat(call.messages()).hasSize(3);
    assertThat(call.messages().get(0).getServerTimeMs()).isEqualTo(NOW);
    assertThat(call.messages().get(0).getStarted().getSource()).isEqualTo("local");
    assertThat(call.messages().get(0).getStarted().getTargetTimestampMsList()).containsExactly(NOW);
    assertThat(call.messages().get(0).getStarted().getPartitionCount()).isEqualTo(1);
    TimestampAnswer answer = call.messages().get(1).getPartition().getAnswer();
    assertThat(answer.getOutcome()).isEqualTo(Outcome.OUTCOME_FOUND);
    assertThat(answer.getPartition()).isEqualTo(1);
    assertThat(answer.getOffset()).isEqualTo(1);
    assertThat(answer.getDistanceMs()).isEqualTo(5);
    assertThat(answer.getRecord().getTimestampMs()).isEqualTo(NOW + 5);
    assertThat(answer.getFutureTimestamp()).isTrue();
    assertThat(answer.getBounds().getEndOffset()).isEqualTo(3);
    assertThat(call.messages().get(2).getDone())
        .isEqualTo(WatchDone.newBuilder().setReachedCount(1).build());
    assertThat(call.isCompleted()).isTrue();
    assertNothingIsLeft();
  }

  @Test
  void reachedByAppends_toldOneByOneThenDone() {
    begin(query(NOW));
    assertThat(call.messages()).hasSize(1);
    assertThat(source.watchCount()).isEqualTo(3);

    append(2, NOW - 1);
    assertThat(queue).isEmpty();
    append(2, NOW);
    append(0, NOW + 1);
    assertThat(call.messages()).hasSize(3);
    assertThat(call.isCompleted()).isFalse();
    append(1, NOW + 2);

    assertThat(call.messages().subList(1, 4))
        .extracting(event -> event.getPartition().getAnswer().getPartition())
        .containsExactly(2, 0, 1);
    assertThat(call.messages().get(4).getDone().getReachedCount()).isEqualTo(3);
    assertThat(call.isCompleted()).isTrue();
    assertNothingIsLeft();
  }

  @Test
  void disorderedRecords_firstByOffsetCounts() {
    begin(query(NOW, 0));

    append(0, NOW - 5, NOW + 60, NOW - 7, NOW + 1);

    TimestampAnswer answer = call.messages().get(1).getPartition().getAnswer();
    assertThat(answer.getOffset()).isEqualTo(1);
    assertThat(answer.getDistanceMs()).isEqualTo(60);
  }

  @Test
  void recordsThatWereTrimmed_doNotCount() {
    source.append("t", 0, NOW + 5);
    source.trim("t", 0, 1);
    begin(query(NOW, 0));
    assertThat(call.messages()).hasSize(1);

    append(0, NOW + 6);

    TimestampAnswer answer = call.messages().get(1).getPartition().getAnswer();
    assertThat(answer.getOffset()).isEqualTo(1);
    assertThat(answer.getStartCut()).isTrue();
  }

  @Test
  void manyAppendsBeforeATurn_oneLook() {
    begin(query(NOW, 0));
    int[] looks = {0};
    source.probe(partition -> looks[0]++);

    for (int i = 0; i < 100; i++) {
      source.append("t", 0, NOW + i);
    }
    assertThat(queue).hasSize(1);
    work();

    assertThat(looks[0]).isEqualTo(1);
    assertThat(call.isCompleted()).isTrue();
  }

  @Test
  void severalQueries_toldByIndex() {
    source.append("t", 0, NOW);

    begin(query(NOW, 0), query(NOW + 10, 0), query(NOW - 10, 0));
    assertThat(call.messages().get(0).getStarted().getTargetTimestampMsList())
        .containsExactly(NOW, NOW + 10, NOW - 10);
    append(0, NOW + 10);

    assertThat(call.messages().subList(1, 4))
        .extracting(event -> event.getPartition().getQueryIndex())
        .containsExactly(0, 2, 1);
  }

  @Test
  void deletedTopic_failsItsPartitionsAndOthersGoOn() {
    source.createTopic("gone", 2);
    begin(query(NOW, 0), WatchQuery.newBuilder().setTopic("gone").setTime(at(NOW)).build());

    source.deleteTopic("gone");
    work();
    append(0, NOW);

    assertThat(call.messages().subList(1, 3))
        .allSatisfy(
            event ->
                assertThat(event.getPartition().getAnswer().getError().getReason())
                    .isEqualTo(ErrorReason.ERROR_REASON_UNKNOWN_TOPIC));
    assertThat(call.messages().get(4).getDone())
        .isEqualTo(WatchDone.newBuilder().setReachedCount(1).setFailedCount(2).build());
    assertNothingIsLeft();
  }

  @Test
  void topicMadeAnewWithRecords_isStaleAndNotReached() {
    begin(query(NOW, 0));

    source.deleteTopic("t");
    source.createTopic("t", 1);
    source.append("t", 0, NOW);
    work();

    TimestampAnswer answer = call.messages().get(1).getPartition().getAnswer();
    assertThat(answer.getOutcome()).isEqualTo(Outcome.OUTCOME_FAILED);
    assertThat(answer.getError().getReason()).isEqualTo(ErrorReason.ERROR_REASON_STALE_TOPIC);
    assertThat(call.messages().get(2).getDone().getFailedCount()).isEqualTo(1);
    assertNothingIsLeft();
  }

  @Test
  void unknownPartition_failsAlone() {
    source.append("t", 0, NOW);

    begin(query(NOW, 7, 0));

    assertThat(call.messages().get(1).getPartition().getAnswer().getError().getReason())
        .isEqualTo(ErrorReason.ERROR_REASON_UNKNOWN_PARTITION);
    assertThat(call.messages().get(3).getDone().getReachedCount()).isEqualTo(1);
    assertNothingIsLeft();
  }

  @Test
  void cancelled_nothingIsLeftAtOnce() {
    begin(query(NOW));
    assertThat(watches.watchCount()).isEqualTo(1);
    assertThat(watches.partitionCount()).isEqualTo(3);

    call.cancel();

    assertNothingIsLeft();
    append(0, NOW);
    assertThat(call.messages()).hasSize(1);
  }

  @Test
  void cancelledBeforeItsFirstTurn_nothingIsLeft() {
    watches.begin(request(query(NOW)), call);
    call.cancel();
    work();

    assertThat(call.messages()).isEmpty();
    assertNothingIsLeft();
  }

  @Test
  void slowReader_getsEachPartitionOnceWhenItReads() {
    source.widen("wide", "t", 1_000);
    call.take(1);
    begin(WatchQuery.newBuilder().setTopic("wide").setTime(at(NOW)).build());
    append(0, NOW);
    append(1, NOW);
    append(2, NOW);
    assertThat(call.messages()).hasSize(1);

    for (int i = 0; i < 20; i++) {
      call.take(100);
      work();
    }

    assertThat(call.messages()).hasSize(1_002);
    assertThat(call.messages().subList(1, 1_001))
        .extracting(event -> event.getPartition().getAnswer().getPartition())
        .doesNotHaveDuplicates();
    assertThat(call.isCompleted()).isTrue();
    assertNothingIsLeft();
  }

  @Test
  void readerThatStalls_isEnded() {
    call.take(1);
    begin(query(NOW));
    watches.tick(0);
    watches.tick(100 * SECOND);
    append(0, NOW);
    watches.tick(101 * SECOND);
    watches.tick(130 * SECOND);
    assertThat(call.failureCode()).isEmpty();

    watches.tick(131 * SECOND);

    assertThat(call.failureCode()).contains(Status.Code.RESOURCE_EXHAUSTED);
    assertNothingIsLeft();
  }

  @Test
  void readerThatTakesSomeNowAndThen_isNotEnded() {
    call.take(1);
    begin(query(NOW));
    append(0, NOW);
    append(1, NOW);
    watches.tick(0);
    call.take(1);
    work();
    watches.tick(29 * SECOND);
    watches.tick(31 * SECOND);

    assertThat(call.failureCode()).isEmpty();
    assertThat(call.messages()).hasSize(2);
  }

  @Test
  void progress_isToldAtItsIntervalUntilDone() {
    start(
        request(query(NOW)).toBuilder()
            .setProgressInterval(Duration.newBuilder().setSeconds(2))
            .build());
    watches.tick(0);
    append(0, NOW);
    watches.tick(SECOND);
    work();
    assertThat(call.messages()).hasSize(2);
    watches.tick(2 * SECOND);
    work();

    assertThat(call.messages().get(2).getProgress())
        .isEqualTo(WatchProgress.newBuilder().setReachedCount(1).setWaitingCount(2).build());
    append(1, NOW);
    append(2, NOW);
    assertThat(call.isCompleted()).isTrue();
    watches.tick(10 * SECOND);
    assertThat(call.messages()).hasSize(6);
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "0, 999999999", "-1, 0", "1, 2000000000"})
  void badProgressInterval_refused(long seconds, int nanos) {
    start(
        request(query(NOW)).toBuilder()
            .setProgressInterval(Duration.newBuilder().setSeconds(seconds).setNanos(nanos))
            .build());

    assertThat(call.failureCode()).contains(Status.Code.INVALID_ARGUMENT);
    assertThat(call.failure().orElseThrow()).hasMessageContaining("progress_interval: ");
    assertNothingIsLeft();
  }

  @Test
  void changedPartitionCount_refused() {
    begin(query(NOW, 0).toBuilder().setExpectPartitionCount(4).build());

    assertThat(call.failureCode()).contains(Status.Code.FAILED_PRECONDITION);
    assertNothingIsLeft();
  }

  @Test
  void unknownTopic_failsTheCallOrEachPartitionThatWasNamed() {
    WatchQuery unknown = WatchQuery.newBuilder().setTopic("none").setTime(at(NOW)).build();
    begin(unknown);
    assertThat(call.failureCode()).contains(Status.Code.NOT_FOUND);

    RecordingCall<WatchTimestampResponse> other = new RecordingCall<>();
    watches.begin(request(unknown.toBuilder().addPartitions(3).build()), other);
    work();

    assertThat(other.messages().get(1).getPartition().getAnswer().getError().getReason())
        .isEqualTo(ErrorReason.ERROR_REASON_UNKNOWN_TOPIC);
    assertThat(other.isCompleted()).isTrue();
    assertNothingIsLeft();
  }

  @Test
  void noQueriesOrNoTime_refused() {
    begin();
    assertThat(call.failure().orElseThrow()).hasMessageContaining("queries: give at least one");

    RecordingCall<WatchTimestampResponse> other = new RecordingCall<>();
    watches.begin(request(WatchQuery.newBuilder().setTopic("t").build()), other);
    work();
    assertThat(other.failure().orElseThrow()).hasMessageContaining("queries[0].time: ");
    assertNothingIsLeft();
  }

  @Test
  void moreWatchesThanThereMayBe_turnedAway() {
    begin(query(NOW));
    begin(query(NOW));
    RecordingCall<WatchTimestampResponse> third = new RecordingCall<>();

    watches.begin(request(query(NOW)), third);

    assertThat(third.failureCode()).contains(Status.Code.RESOURCE_EXHAUSTED);
    assertThat(watches.watchCount()).isEqualTo(2);
  }

  @Test
  void morePartitionsThanMayBeWatched_turnedAway() {
    source.widen("wide", "t", 9_998);
    begin(query(NOW));
    RecordingCall<WatchTimestampResponse> second = new RecordingCall<>();

    watches.begin(
        request(WatchQuery.newBuilder().setTopic("wide").setTime(at(NOW)).build()), second);
    work();

    assertThat(second.failureCode()).contains(Status.Code.RESOURCE_EXHAUSTED);
    assertThat(watches.partitionCount()).isEqualTo(3);
    assertThat(source.watchCount()).isEqualTo(3);
  }

  @Test
  void workersFullAtTheBegin_turnedAway() {
    isFull = true;

    watches.begin(request(query(NOW)), call);

    assertThat(call.failureCode()).contains(Status.Code.RESOURCE_EXHAUSTED);
    assertNothingIsLeft();
  }

  @Test
  void workersFullLater_looksWhenTheyAreNot() {
    begin(query(NOW, 0));
    isFull = true;
    source.append("t", 0, NOW);
    watches.tick(0);
    isFull = false;
    assertThat(call.messages()).hasSize(1);

    watches.tick(1);
    work();

    assertThat(call.isCompleted()).isTrue();
  }

  @Test
  void drained_endsAllAndRefusesNewOnes() {
    begin(query(NOW));

    watches.drain();

    assertThat(call.failureCode()).contains(Status.Code.UNAVAILABLE);
    assertThat(call.failure().orElseThrow()).hasMessageContaining("the server stops");
    RecordingCall<WatchTimestampResponse> late = new RecordingCall<>();
    watches.begin(request(query(NOW)), late);
    assertThat(late.failureCode()).contains(Status.Code.UNAVAILABLE);
    assertNothingIsLeft();
  }

  @Test
  void tenThousandPartitions_eachToldOnceThenDone() {
    source.widen("wide", "t", 10_000);
    begin(WatchQuery.newBuilder().setTopic("wide").setTime(at(NOW)).build());
    assertThat(source.watchCount()).isEqualTo(10_000);

    append(0, NOW - 1);
    append(1, NOW);
    assertThat(call.messages()).hasSize(1 + 3_333);
    append(2, NOW);
    append(0, NOW);

    assertThat(call.messages()).hasSize(10_002);
    assertThat(call.messages().get(10_001).getDone().getReachedCount()).isEqualTo(10_000);
    assertNothingIsLeft();
  }

  private void begin(WatchQuery... queries) {
    start(request(queries));
  }

  private void start(WatchTimestampRequest request) {
    watches.begin(request, call);
    work();
  }

  private void append(int partition, long... timestampsMs) {
    source.append("t", partition, timestampsMs);
    work();
  }

  private void assertNothingIsLeft() {
    assertThat(watches.watchCount()).isZero();
    assertThat(watches.partitionCount()).isZero();
    assertThat(source.watchCount()).isZero();
  }

  private Watches watches(WatchLimits limits) {
    return new Watches(
        this::enqueue,
        new RealLookups(),
        () -> Instant.ofEpochMilli(NOW),
        LIMITS,
        limits,
        () -> new OpenSources(new SourceCatalog(List.of(source)), Map.of()),
        CallListener.NOOP);
  }

  private void enqueue(Runnable task) {
    if (isFull) {
      throw new RejectedExecutionException("full");
    }
    queue.add(task);
  }

  /** Does what a worker would. */
  private void work() {
    for (Runnable task = queue.poll(); task != null; task = queue.poll()) {
      task.run();
    }
  }

  static WatchTimestampRequest request(WatchQuery... queries) {
    return WatchTimestampRequest.newBuilder().addAllQueries(List.of(queries)).build();
  }

  static WatchQuery query(long timeMs, Integer... partitions) {
    return WatchQuery.newBuilder()
        .setTopic("t")
        .addAllPartitions(List.of(partitions))
        .setTime(at(timeMs))
        .build();
  }

  static TimePoint at(long timeMs) {
    return TimePoint.newBuilder().setEpochMs(timeMs).build();
  }
}
