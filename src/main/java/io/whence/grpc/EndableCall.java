package io.whence.grpc;

import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.whence.model.WhenceException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A call that others than its service may end; what the service sends after that is dropped, and so
 * is all that would come behind the reset of gRPC at the deadline. Thread safety: thread-safe.
 */
final class EndableCall<Q, R> extends SimpleForwardingServerCall<Q, R> {
  /** Longer than from a look at the time to the frame behind it, unless the thread is held up. */
  private static final long LAST_NANOS = TimeUnit.MICROSECONDS.toNanos(300);

  private final Context context;
  private final @Nullable Deadline deadline;
  private boolean closed;
  private boolean endedByOthers;

  /**
   * Wraps a call.
   *
   * @param context the context of the call
   * @param deadline when gRPC resets it; null for never
   */
  EndableCall(ServerCall<Q, R> call, Context context, @Nullable Deadline deadline) {
    super(call);
    this.context = context;
    this.deadline = deadline;
  }

  /** Ends it, unless it has ended, or is about to be reset. */
  synchronized void end(WhenceException failure) {
    if (isOpen()) {
      endedByOthers = true;
      StatusRuntimeException status = GrpcErrors.status(failure);
      Metadata trailers = Status.trailersFromThrowable(status);
      close(status.getStatus(), trailers == null ? new Metadata() : trailers);
    }
  }

  private boolean isOpen() {
    return !closed
        && !context.isCancelled()
        && (deadline == null || deadline.timeRemaining(TimeUnit.NANOSECONDS) > LAST_NANOS);
  }

  /** Returns whether it was not the service that ended it. */
  synchronized boolean isEndedByOthers() {
    return endedByOthers;
  }

  @Override
  public synchronized void sendHeaders(Metadata headers) {
    if (isOpen()) {
      super.sendHeaders(headers);
    }
  }

  @Override
  public synchronized void sendMessage(R message) {
    if (isOpen()) {
      super.sendMessage(message);
    }
  }

  @Override
  public synchronized void close(Status status, Metadata trailers) {
    if (isOpen()) {
      closed = true;
      super.close(status, trailers);
    }
  }
}
