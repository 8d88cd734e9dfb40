package io.whence.grpc;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;
import io.quarkus.grpc.ExceptionHandler;
import io.quarkus.grpc.ExceptionHandlerProvider;
import io.whence.model.WhenceException;
import jakarta.enterprise.context.ApplicationScoped;
import org.jboss.logging.Logger;

/**
 * Turns whatever a listener or an interceptor throws into a status of the error contract, so that
 * no class name of the server reaches a client. Thread safety: thread-safe.
 */
@ApplicationScoped
class GrpcExceptionHandlers implements ExceptionHandlerProvider {
  private static final Logger LOG = Logger.getLogger(GrpcExceptionHandlers.class);

  @Override
  public <Q, R> ExceptionHandler<Q, R> createHandler(
      ServerCall.Listener<Q> listener, ServerCall<Q, R> call, Metadata metadata) {
    return new ClosingHandler<>(listener, call, metadata);
  }

  @Override
  public Throwable transform(Throwable failure) {
    if (failure instanceof StatusRuntimeException || failure instanceof StatusException) {
      return failure;
    }
    if (failure instanceof WhenceException known) {
      return GrpcErrors.status(known);
    }
    LOG.error("a call failed outside its handler", failure);
    return GrpcErrors.status(GrpcErrors.internal());
  }

  private final class ClosingHandler<Q, R> extends ExceptionHandler<Q, R> {
    ClosingHandler(ServerCall.Listener<Q> listener, ServerCall<Q, R> call, Metadata metadata) {
      super(listener, call, metadata);
    }

    @Override
    protected void handleException(Throwable failure, ServerCall<Q, R> call, Metadata metadata) {
      Throwable told = transform(failure);
      Metadata trailers = Status.trailersFromThrowable(told);
      call.close(Status.fromThrowable(told), trailers == null ? new Metadata() : trailers);
    }
  }
}
