package io.whence.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.stub.ServerCallStreamObserver;
import io.whence.source.SourceCatalog;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CallRunnerTest {
  private static final CallLimits LIMITS = new CallLimits(1, 1, 1, 1, Duration.ofMinutes(2));

  private final Deque<Runnable> queue = new ArrayDeque<>();
  private final CompletableFuture<String> disk = new CompletableFuture<>();
  private final Observer observer = new Observer();
  private boolean isFull;
  private final CallRunner runner =
      new CallRunner(
          new CallThreads(
              this::enqueue,
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

    assertThat(queue).hasSize(queued);
    assertThat(observer.events).hasSize(queued == 0 ? 2 : 0);
    work();
    assertThat(observer.events).containsExactly("done", "completed");
    assertThat(runner.callsInFlight()).isZero();
  }

  @Test
  void workersFull_largeAnswerIsSentAtOnce() {
    start(65);
    isFull = true;

    disk.complete("done");

    assertThat(observer.events).containsExactly("done", "completed");
    assertThat(runner.callsInFlight()).isZero();
  }

  @Test
  void workThatEndsOnTheWorker_isAnsweredThere() {
    disk.complete("done");

    start(10_000);

    assertThat(queue).isEmpty();
    assertThat(observer.events).containsExactly("done", "completed");
  }

  @Test
  void workThatFailsElsewhere_isAnsweredAtOnce() {
    start(10_000);

    disk.completeExceptionally(GrpcErrors.internal());

    assertThat(queue).isEmpty();
    assertThat(observer.events).containsExactly("INTERNAL");
  }

  private void start(int results) {
    runner.runAsync("Test", "request", observer, (request, scope) -> disk, answer -> results);
    work();
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

  /** Keeps what is sent. */
  private static final class Observer extends ServerCallStreamObserver<String> {
    private final List<String> events = new ArrayList<>();

    @Override
    public void onNext(String value) {
      events.add(value);
    }

    @Override
    public void onError(Throwable failure) {
      events.add(io.grpc.Status.fromThrowable(failure).getCode().name());
    }

    @Override
    public void onCompleted() {
      events.add("completed");
    }

    @Override
    public boolean isCancelled() {
      return false;
    }

    @Override
    public void setOnCancelHandler(Runnable onCancelHandler) {}

    @Override
    public void setCompression(String compression) {}

    @Override
    public boolean isReady() {
      return true;
    }

    @Override
    public void setOnReadyHandler(Runnable onReadyHandler) {}

    @Override
    public void request(int count) {}

    @Override
    public void setMessageCompression(boolean enable) {}

    @Override
    public void disableAutoInboundFlowControl() {}
  }
}
