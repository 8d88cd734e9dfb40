package io.whence.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.Durations;
import com.google.rpc.RetryInfo;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Status;
import io.grpc.protobuf.StatusProto;
import io.whence.source.SourceCatalog;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who may have calls in flight: lookups beside writes, one connection beside another. */
class CallLanesTest {
  private static final CallLimits LIMITS = new CallLimits(1, 1, 1, 8, 5, Duration.ofMinutes(2));
  private static final String LOOKUP = "ResolveTimestamp";
  private static final String WRITE = "CommitOffset";

  private final ManualWorkers workers = new ManualWorkers();
  private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(1);
  private final List<String> begun = new ArrayList<>();
  private final Connection first = new Connection();
  private final Connection second = new Connection();
  private final CallRunner runner =
      new CallRunner(
          new CallThreads(
              workers,
              () -> {
                throw new IllegalStateException("no event loop in this test");
              },
              () -> 0),
          () -> Instant.EPOCH,
          LIMITS,
          () -> new OpenSources(new SourceCatalog(List.of()), Map.of()),
          CallListener.NOOP);

  @AfterEach
  void stopTimer() {
    timer.shutdownNow();
  }

  @ParameterizedTest
  @CsvSource({LOOKUP + ", " + WRITE, WRITE + ", " + LOOKUP})
  void laneThatIsFull_leavesRoomForTheOther(String greedy, String other) {
    for (int i = 0; i < 3; i++) {
      call(greedy, first);
      call(greedy, second);
    }

    RecordingCall<String> refused = call(greedy, first);
    RecordingCall<String> admitted = call(other, first);
    workers.work(CallLane.of(other));

    assertThat(refused.failureCode()).contains(Status.Code.RESOURCE_EXHAUSTED);
    assertThat(admitted.isCompleted()).isTrue();
    assertThat(begun).containsExactly(other);
    workers.work();
    assertThat(runner.callsInFlight()).isZero();
  }

  @Test
  void bothLanesTogether_takeNoMoreThanThereMayBe() {
    for (int i = 0; i < 4; i++) {
      call(LOOKUP, first);
      call(WRITE, second);
    }

    assertThat(call(LOOKUP, second).failureCode()).contains(Status.Code.RESOURCE_EXHAUSTED);
    assertThat(call(WRITE, new Connection()).failureCode())
        .contains(Status.Code.RESOURCE_EXHAUSTED);
    assertThat(runner.callsInFlight()).isEqualTo(8);
    assertThat(runner.callsInFlight(CallLane.WRITES)).isEqualTo(4);
  }

  @Test
  void greedyConnection_isTurnedAwayAndAModestOneIsNot() {
    for (int i = 0; i < 5; i++) {
      call(LOOKUP, first);
    }

    RecordingCall<String> sixth = call(LOOKUP, first);
    RecordingCall<String> modest = call(LOOKUP, second);
    workers.work();

    assertThat(sixth.failureCode()).contains(Status.Code.RESOURCE_EXHAUSTED);
    assertThat(sixth.failure().orElseThrow()).hasMessageContaining("connection has 5 calls");
    assertThat(modest.isCompleted()).isTrue();
    assertThat(call(LOOKUP, first).failureCode()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CreateTopic",
        "DeleteTopic",
        "Append",
        "TrimLog",
        "CommitOffset",
        "DeleteOffset",
        "DeleteGroup",
        "ApplyReset"
      })
  void writes_haveTheirLane(String rpc) {
    assertThat(CallLane.of(rpc)).isEqualTo(CallLane.WRITES);
  }

  @ParameterizedTest
  @CsvSource({"0, 100", "50, 100", "2500, 2500", "60000, 10000"})
  void fullWorkers_laterRetryTheLongerTheWait(long waitMs, long retryMs)
      throws InvalidProtocolBufferException {
    workers.fill(true);
    workers.expectWait(TimeUnit.MILLISECONDS.toNanos(waitMs));

    RecordingCall<String> refused = call(LOOKUP, first);

    assertThat(retryMs(refused)).isEqualTo(retryMs);
    assertThat(runner.callsInFlight()).isZero();
  }

  @Test
  void waitBeyondTheDeadline_isNotBegun() {
    workers.expectWait(TimeUnit.SECONDS.toNanos(90));

    RecordingCall<String> hasTime = call(LOOKUP, first);
    RecordingCall<String> refused =
        inContext(context(first).withDeadline(Deadline.after(60, TimeUnit.SECONDS), timer), LOOKUP);
    workers.work();

    assertThat(hasTime.isCompleted()).isTrue();
    assertThat(refused.failureCode()).contains(Status.Code.RESOURCE_EXHAUSTED);
    assertThat(refused.failure().orElseThrow()).hasMessageContaining("deadline would pass");
    assertThat(begun).hasSize(1);
    assertThat(runner.callsInFlight()).isZero();
  }

  @Test
  void deadlineThatPassedWhileWaiting_isNotBegun() {
    Context.CancellableContext context = context(first).withCancellation();
    RecordingCall<String> abandoned = inContext(context, LOOKUP);

    context.cancel(null);
    workers.work();

    assertThat(abandoned.failureCode()).contains(Status.Code.DEADLINE_EXCEEDED);
    assertThat(begun).isEmpty();
  }

  private RecordingCall<String> call(String rpc, Connection connection) {
    return inContext(context(connection), rpc);
  }

  private static Context context(Connection connection) {
    return Context.ROOT.withValue(Caller.KEY, new Caller(null, connection));
  }

  private RecordingCall<String> inContext(Context context, String rpc) {
    RecordingCall<String> call = new RecordingCall<>();
    context.run(
        () ->
            runner.run(
                rpc,
                "request",
                call,
                (request, scope) -> {
                  begun.add(rpc);
                  return "done";
                }));
    return call;
  }

  private static long retryMs(RecordingCall<String> refused) throws InvalidProtocolBufferException {
    for (Any detail : StatusProto.fromThrowable(refused.failure().orElseThrow()).getDetailsList()) {
      if (detail.is(RetryInfo.class)) {
        return Durations.toMillis(detail.unpack(RetryInfo.class).getRetryDelay());
      }
    }
    throw new AssertionError("no RetryInfo in " + refused.failure());
  }
}
