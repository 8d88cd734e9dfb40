package io.whence.grpc;

import io.grpc.Context;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Ends the watches of the health service when the server stops: clients that follow the health of
 * servers hold one each for as long as they are connected, and a stop would wait for all of them.
 * Thread safety: thread-safe.
 */
public final class HealthWatches implements ServerInterceptor {
  private static final String WATCH = "grpc.health.v1.Health/Watch";

  private final Set<EndableCall<?, ?>> open = ConcurrentHashMap.newKeySet();
  private volatile boolean draining;

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    if (!call.getMethodDescriptor().getFullMethodName().equals(WATCH)) {
      return next.startCall(call, headers);
    }
    EndableCall<Q, R> watch =
        new EndableCall<>(call, Context.current(), Context.current().getDeadline());
    open.add(watch);
    ServerCall.Listener<Q> listener = next.startCall(watch, headers);
    if (draining) {
      watch.end(draining()); // It came after the others were ended.
    }
    return new SimpleForwardingServerCallListener<>(listener) {
      @Override
      public void onCancel() {
        open.remove(watch);
        super.onCancel();
      }

      @Override
      public void onComplete() {
        open.remove(watch);
        super.onComplete();
      }
    };
  }

  /** Ends all that are open, and those to come; their clients have been told before. */
  public void drain() {
    draining = true;
    open.forEach(watch -> watch.end(draining()));
  }

  private static WhenceException draining() {
    return WhenceException.of(ErrorReason.DRAINING, "the server is stopping");
  }
}
