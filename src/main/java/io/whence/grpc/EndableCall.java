package io.whence.grpc;

import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.whence.model.WhenceException;

/**
 * A call that others than its service may end; what the service sends after that is dropped. Thread
 * safety: thread-safe.
 */
final class EndableCall<Q, R> extends SimpleForwardingServerCall<Q, R> {
  private boolean closed;
  private boolean endedByOthers;

  EndableCall(ServerCall<Q, R> call) {
    super(call);
  }

  /** Ends it, unless it has ended. */
  synchronized void end(WhenceException failure) {
    if (!closed) {
      endedByOthers = true;
      StatusRuntimeException status = GrpcErrors.status(failure);
      Metadata trailers = Status.trailersFromThrowable(status);
      close(status.getStatus(), trailers == null ? new Metadata() : trailers);
    }
  }

  /** Returns whether it was not the service that ended it. */
  synchronized boolean isEndedByOthers() {
    return endedByOthers;
  }

  @Override
  public synchronized void sendHeaders(Metadata headers) {
    if (!closed) {
      super.sendHeaders(headers);
    }
  }

  @Override
  public synchronized void sendMessage(R message) {
    if (!closed) {
      super.sendMessage(message);
    }
  }

  @Override
  public synchronized void close(Status status, Metadata trailers) {
    if (!closed) {
      closed = true;
      super.close(status, trailers);
    }
  }
}
