package io.whence.grpc;

import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Ends streams and watches at their deadline with a status. gRPC resets what has begun to answer,
 * of which proxies make failures of their own; so this comes a little before. From the deadline on
 * nothing is sent, of unary calls neither: frames behind a reset let HAProxy close the connection,
 * with all other calls on it. Thread safety: immutable.
 */
public final class StreamDeadlines implements ServerInterceptor {
  /**
   * What is written reaches the connection in this time, or gRPC's reset overtakes it; a collection
   * of garbage may hold it up.
   */
  private static final long MOST_AHEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final int SHARE_AHEAD = 10;

  /** Of short deadlines, the half is the most. */
  private static final long LEAST_AHEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final Supplier<EventLoop> currentLoop;

  /**
   * Makes the interceptor of a server.
   *
   * @param currentLoop gives the event loop of the current thread
   */
  public StreamDeadlines(Supplier<EventLoop> currentLoop) {
    this.currentLoop = currentLoop;
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    Deadline deadline = Context.current().getDeadline();
    if (deadline == null) {
      return next.startCall(call, headers);
    }
    EndableCall<Q, R> endable = new EndableCall<>(call, Context.current(), deadline);
    if (call.getMethodDescriptor().getType().serverSendsOneMessage()) {
      return next.startCall(endable, headers);
    }
    Runnable takeBack =
        currentLoop
            .get()
            .schedule(
                () -> endable.end(CallCancellation.deadlinePassed()), untilShortlyBefore(deadline));
    return new SimpleForwardingServerCallListener<>(next.startCall(endable, headers)) {
      @Override
      public void onCancel() {
        takeBack.run();
        super.onCancel();
      }

      @Override
      public void onComplete() {
        takeBack.run();
        if (endable.isEndedByOthers()) {
          super.onCancel(); // So the service stops its work.
        } else {
          super.onComplete();
        }
      }
    };
  }

  private static Duration untilShortlyBefore(Deadline deadline) {
    long remaining = deadline.timeRemaining(TimeUnit.NANOSECONDS);
    long ahead = Math.max(remaining / SHARE_AHEAD, Math.min(LEAST_AHEAD_NANOS, remaining / 2));
    return Duration.ofNanos(remaining - Math.min(MOST_AHEAD_NANOS, ahead));
  }
}
