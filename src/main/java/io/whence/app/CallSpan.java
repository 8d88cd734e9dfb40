package io.whence.app;

import io.grpc.Status;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.whence.grpc.CallListener;
import io.whence.grpc.CallTrace;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The span of one call: tells its source, how many partitions it asked about and what they came to,
 * and nothing of topics, groups or records. Thread safety: thread-safe.
 */
final class CallSpan implements CallTrace {
  private final Span span;
  private final AtomicBoolean ended = new AtomicBoolean();
  private final Map<String, Long> outcomes = new TreeMap<>();
  private long partitions;

  CallSpan(Span span) {
    this.span = span;
  }

  @Override
  public void source(String name) {
    span.setAttribute("whence.source", name);
  }

  @Override
  public CallListener heard(CallListener listener) {
    return span.isRecording() ? new HeardAnswers(this, listener) : listener;
  }

  synchronized void partitions(int count) {
    partitions += count;
  }

  synchronized void outcomes(String outcome, long count) {
    outcomes.merge(outcome, count, Long::sum);
  }

  /** Ends it; what comes later is not told. */
  void end(Status.Code code) {
    if (ended.compareAndSet(false, true)) {
      describe();
      span.setAttribute("rpc.grpc.status_code", code.value());
      if (isFault(code)) {
        span.setStatus(StatusCode.ERROR, code.name());
      }
      span.end();
    }
  }

  private synchronized void describe() {
    if (partitions > 0) {
      span.setAttribute("whence.partitions", partitions);
    }
    outcomes.forEach((outcome, count) -> span.setAttribute("whence.outcomes." + outcome, count));
  }

  /** What OpenTelemetry's conventions take for an error of a server. */
  private static boolean isFault(Status.Code code) {
    return switch (code) {
      case UNKNOWN, DEADLINE_EXCEEDED, UNIMPLEMENTED, INTERNAL, UNAVAILABLE, DATA_LOSS -> true;
      case OK,
          CANCELLED,
          INVALID_ARGUMENT,
          NOT_FOUND,
          ALREADY_EXISTS,
          PERMISSION_DENIED,
          RESOURCE_EXHAUSTED,
          FAILED_PRECONDITION,
          ABORTED,
          OUT_OF_RANGE,
          UNAUTHENTICATED ->
          false;
    };
  }
}
