package io.whence.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.whence.source.SourceCatalog;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CallRunnerTest {
  private static final CallLimits LIMITS = new CallLimits(1, 1, 1, 1, 1, Duration.ofMinutes(2));

  private final ManualWorkers workers = new ManualWorkers();
  private final CompletableFuture<String> disk = new CompletableFuture<>();
  private final RecordingCall<String> call = new RecordingCall<>();
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

  @ParameterizedTest
  @CsvSource({"0, 0", "64, 0", "65, 1", "10000, 1"})
  void workThatEndsElsewhere_largeAnswerGoesToAWorker(int results, int queued) {
    start(results);

    disk.complete("done");

    assertThat(workers.waiting(CallLane.LOOKUPS)).isEqualTo(queued);
    assertThat(call.isCompleted()).isEqualTo(queued == 0);
    workers.work();
    assertIsAnswered();
    assertThat(runner.callsInFlight()).isZero();
  }

  @Test
  void workersFull_largeAnswerIsSentAtOnce() {
    start(65);
    workers.fill(true);

    disk.complete("done");

    assertIsAnswered();
    assertThat(runner.callsInFlight()).isZero();
  }

  @Test
  void workThatEndsOnTheWorker_isAnsweredThere() {
    disk.complete("done");

    start(10_000);

    assertThat(workers.waiting(CallLane.LOOKUPS)).isZero();
    assertIsAnswered();
  }

  @Test
  void workThatFailsElsewhere_isAnsweredAtOnce() {
    start(10_000);

    disk.completeExceptionally(GrpcErrors.internal());

    assertThat(workers.waiting(CallLane.LOOKUPS)).isZero();
    assertThat(call.failureCode()).contains(Status.Code.INTERNAL);
  }

  private void start(int results) {
    runner.runAsync("Test", "request", call, (request, scope) -> disk, answer -> results);
    workers.work();
  }

  private void assertIsAnswered() {
    assertThat(call.messages()).containsExactly("done");
    assertThat(call.isCompleted()).isTrue();
  }
}
