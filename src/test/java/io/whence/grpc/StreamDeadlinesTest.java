package io.whence.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.whence.v1.ResolverServiceGrpc;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When the server ends a call with a status: before gRPC would reset it, and never after that. */
class StreamDeadlinesTest {
  private static final MethodDescriptor<?, ?> WATCH = ResolverServiceGrpc.getWatchTimestampMethod();
  private static final MethodDescriptor<?, ?> UNARY =
      ResolverServiceGrpc.getResolveTimestampMethod();

  private final ManualTicker ticker = new ManualTicker();
  private final ManualLoop loop = new ManualLoop();
  private final List<String> sent = new ArrayList<>();
  private final List<String> heard = new ArrayList<>();
  private final NeverRunning scheduler = new NeverRunning();
  private @Nullable ServerCall<Object, Object> call;
  private ServerCall.@Nullable Listener<Object> listener;

  private static final class ManualTicker extends Deadline.Ticker {
    private long nanos;

    @Override
    public long nanoTime() {
      return nanos;
    }
  }

  /** Lets no context be cancelled by the time. */
  private static final class NeverRunning extends ScheduledThreadPoolExecutor {
    NeverRunning() {
      super(0);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
      return super.schedule(task, 1, TimeUnit.DAYS);
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
      throw new UnsupportedOperationException();
    }
  }

  private static final class ManualLoop implements EventLoop {
    private final List<Duration> delays = new ArrayList<>();
    private final List<Runnable> tasks = new ArrayList<>();
    private int takenBack;

    @Override
    public boolean isCurrent() {
      return true;
    }

    @Override
    public void execute(Runnable task) {
      task.run();
    }

    @Override
    public Runnable schedule(Runnable task, Duration delay) {
      delays.add(delay);
      tasks.add(task);
      return () -> takenBack++;
    }
  }

  /** The call as gRPC has it. */
  private final class Transport extends ServerCall<Object, Object> {
    private final MethodDescriptor<Object, Object> method;

    @SuppressWarnings("unchecked")
    Transport(MethodDescriptor<?, ?> method) {
      this.method = (MethodDescriptor<Object, Object>) method;
    }

    @Override
    public void request(int count) {}

    @Override
    public void sendHeaders(Metadata headers) {
      sent.add("headers");
    }

    @Override
    public void sendMessage(Object message) {
      sent.add("message");
    }

    @Override
    public void close(Status status, Metadata trailers) {
      sent.add(status.getCode().name());
    }

    @Override
    public boolean isCancelled() {
      return false;
    }

    @Override
    public MethodDescriptor<Object, Object> getMethodDescriptor() {
      return method;
    }
  }

  private final class Service extends ServerCall.Listener<Object> {
    @Override
    public void onCancel() {
      heard.add("cancel");
    }

    @Override
    public void onComplete() {
      heard.add("complete");
    }
  }

  @AfterEach
  void close() {
    scheduler.shutdownNow();
  }

  private void begin(MethodDescriptor<?, ?> method, long deadlineMs) {
    Deadline deadline = Deadline.after(deadlineMs, TimeUnit.MILLISECONDS, ticker);
    Context.current()
        .withDeadline(deadline, scheduler)
        .run(
            () ->
                listener =
                    new StreamDeadlines(() -> loop)
                        .interceptCall(
                            new Transport(method),
                            new Metadata(),
                            (seen, headers) -> {
                              call = seen;
                              return new Service();
                            }));
  }

  private void advance(long ms) {
    ticker.nanos += TimeUnit.MILLISECONDS.toNanos(ms);
  }

  private ServerCall<Object, Object> call() {
    return Objects.requireNonNull(call, "the call that the service has");
  }

  private ServerCall.Listener<Object> listener() {
    return Objects.requireNonNull(listener, "the listener that gRPC has");
  }

  @ParameterizedTest
  @CsvSource({"60000, 100", "2000, 100", "1000, 100", "300, 30", "100, 10", "50, 10", "10, 5"})
  void streamIsEnded_aTenthBefore_withinBounds(long deadlineMs, long aheadMs) {
    begin(WATCH, deadlineMs);

    assertThat(loop.delays).containsExactly(Duration.ofMillis(deadlineMs - aheadMs));
  }

  @Test
  void beforeTheDeadline_statusIsSent_andNothingBehindIt() {
    begin(WATCH, 2_000);
    call().sendHeaders(new Metadata());
    call().sendMessage("answer");
    advance(1_999);

    loop.tasks.get(0).run();
    call().sendMessage("late");
    call().close(Status.OK, new Metadata());
    listener().onComplete();

    assertThat(sent).containsExactly("headers", "message", "DEADLINE_EXCEEDED");
    assertThat(heard).as("so that the service stops its work").containsExactly("cancel");
  }

  @Test
  void fromTheDeadlineOn_nothingIsSent() {
    begin(WATCH, 2_000);
    call().sendHeaders(new Metadata());
    advance(2_000);

    loop.tasks.get(0).run();
    call().sendMessage("late");
    call().close(Status.OK, new Metadata());
    listener().onCancel();

    assertThat(sent).containsExactly("headers");
    assertThat(heard).containsExactly("cancel");
  }

  @Test
  void callThatEndsByItself_takesTheEndBack() {
    begin(WATCH, 2_000);
    call().sendHeaders(new Metadata());
    call().close(Status.OK, new Metadata());
    listener().onComplete();

    loop.tasks.get(0).run();

    assertThat(sent).containsExactly("headers", "OK");
    assertThat(heard).containsExactly("complete");
    assertThat(loop.takenBack).isEqualTo(1);
  }

  @Test
  void unaryCall_isNotEnded_butSendsNothingFromTheDeadlineOn() {
    begin(UNARY, 2_000);
    assertThat(loop.tasks).isEmpty();
    call().sendHeaders(new Metadata());
    advance(2_000);

    call().sendMessage("late");
    call().close(Status.OK, new Metadata());

    assertThat(sent).containsExactly("headers");
  }
}
