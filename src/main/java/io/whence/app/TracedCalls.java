package io.whence.app;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Deadline;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.Status;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.whence.grpc.CallTrace;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Makes a span of each call of our services, below the span of its caller where the headers name
 * one (W3C trace context). Thread safety: thread-safe.
 */
final class TracedCalls {
  private final Tracer tracer;

  TracedCalls(Tracer tracer) {
    this.tracer = tracer;
  }

  /** Intercepts a call; not an interceptor by type, or Quarkus would warn that it is unused. */
  <Q, R> ServerCall.Listener<Q> intercept(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    MethodDescriptor<Q, R> method = call.getMethodDescriptor();
    if (!OurServices.have(method.getFullMethodName())) {
      return next.startCall(call, headers);
    }
    CallSpan span = new CallSpan(start(method, headers));
    Context context = CallTrace.noted(span, Context.current());
    return new TracedListener<>(
        Contexts.interceptCall(context, new TracedCall<>(call, span), headers, next), span);
  }

  private Span start(MethodDescriptor<?, ?> method, Metadata headers) {
    return tracer
        .spanBuilder(method.getFullMethodName())
        .setSpanKind(SpanKind.SERVER)
        .setParent(
            W3CTraceContextPropagator.getInstance()
                .extract(io.opentelemetry.context.Context.root(), headers, Headers.GETTER))
        .setAttribute("rpc.system", "grpc")
        .setAttribute("rpc.service", Objects.requireNonNullElse(method.getServiceName(), ""))
        .setAttribute("rpc.method", Objects.requireNonNullElse(method.getBareMethodName(), ""))
        .startSpan();
  }

  /** Reads headers as OpenTelemetry wants it. */
  private enum Headers implements TextMapGetter<Metadata> {
    GETTER;

    @Override
    public Iterable<String> keys(Metadata headers) {
      return headers.keys();
    }

    @Override
    public @Nullable String get(@Nullable Metadata headers, String key) {
      return headers == null
          ? null
          : headers.get(Metadata.Key.of(key, Metadata.ASCII_STRING_MARSHALLER));
    }
  }

  private static final class TracedCall<Q, R> extends SimpleForwardingServerCall<Q, R> {
    private final CallSpan span;

    TracedCall(ServerCall<Q, R> call, CallSpan span) {
      super(call);
      this.span = span;
    }

    @Override
    public void close(Status status, Metadata trailers) {
      super.close(status, trailers);
      span.end(status.getCode());
    }
  }

  private static final class TracedListener<Q> extends SimpleForwardingServerCallListener<Q> {
    private final CallSpan span;

    TracedListener(ServerCall.Listener<Q> listener, CallSpan span) {
      super(listener);
      this.span = span;
    }

    @Override
    public void onCancel() {
      super.onCancel();
      Deadline deadline = Context.current().getDeadline();
      span.end(
          deadline != null && deadline.isExpired()
              ? Status.Code.DEADLINE_EXCEEDED
              : Status.Code.CANCELLED);
    }
  }
}
