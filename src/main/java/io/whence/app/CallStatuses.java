package io.whence.app;

import io.grpc.Metadata;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import io.whence.ops.CallMetrics;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Notes how each call ended, as its client saw it: on the stream itself, so that what never reaches
 * a service counts too. Thread safety: thread-safe.
 */
final class CallStatuses extends ServerStreamTracer.Factory {
  private final CallMetrics metrics;

  CallStatuses(CallMetrics metrics) {
    this.metrics = metrics;
  }

  @Override
  public ServerStreamTracer newServerStreamTracer(String fullMethodName, Metadata headers) {
    return new Tracer(fullMethodName, headers);
  }

  private final class Tracer extends ServerStreamTracer {
    private final String fullMethodName;
    private final Metadata headers;
    private final long startNanos = System.nanoTime();
    private final AtomicBoolean closed = new AtomicBoolean();

    Tracer(String fullMethodName, Metadata headers) {
      this.fullMethodName = fullMethodName;
      this.headers = headers;
    }

    @Override
    public void streamClosed(Status status) {
      if (closed.compareAndSet(false, true)) {
        long nanos = System.nanoTime() - startNanos;
        metrics.ended(rpc(), seen(status.getCode(), nanos).name(), nanos);
      }
    }

    private String rpc() {
      return OurServices.have(fullMethodName)
          ? fullMethodName.substring(fullMethodName.indexOf('/') + 1)
          : "";
    }

    /** A client whose deadline passes resets the call as one that gives it up does. */
    private Status.Code seen(Status.Code code, long nanos) {
      return code == Status.Code.CANCELLED && GrpcTimeout.hasPassed(timeout(), nanos)
          ? Status.Code.DEADLINE_EXCEEDED
          : code;
    }

    private @Nullable String timeout() {
      return headers.get(GrpcTimeout.HEADER);
    }
  }
}
