package io.whence.grpc;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Message;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.KnownLength;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Answers requests that are no valid messages, or too many in one, with INVALID_ARGUMENT. grpc-java
 * itself answers UNKNOWN and writes a stack trace for each, so that any client could flood the log.
 * Thread safety: immutable.
 */
public final class SafeParsing {
  /** So few bytes can't become too much. */
  private static final int SMALL_BYTES = 1 << 16;

  private SafeParsing() {}

  /** Returns the service with its requests parsed safely. */
  public static ServerServiceDefinition of(ServerServiceDefinition service) {
    List<ServerMethodDefinition<?, ?>> methods = new ArrayList<>();
    service.getMethods().forEach(method -> methods.add(safe(method)));
    ServiceDescriptor.Builder descriptor =
        ServiceDescriptor.newBuilder(service.getServiceDescriptor().getName())
            .setSchemaDescriptor(service.getServiceDescriptor().getSchemaDescriptor());
    methods.forEach(method -> descriptor.addMethod(method.getMethodDescriptor()));
    ServerServiceDefinition.Builder safe = ServerServiceDefinition.builder(descriptor.build());
    methods.forEach(safe::addMethod);
    return safe.build();
  }

  private static <Q, R> ServerMethodDefinition<Parsed<Q>, R> safe(
      ServerMethodDefinition<Q, R> method) {
    MethodDescriptor<Q, R> original = method.getMethodDescriptor();
    MethodDescriptor<Parsed<Q>, R> descriptor =
        original.toBuilder(
                new SafeMarshaller<>(original.getRequestMarshaller()),
                original.getResponseMarshaller())
            .build();
    ServerCallHandler<Q, R> handler = method.getServerCallHandler();
    return ServerMethodDefinition.create(
        descriptor,
        (call, headers) -> {
          ServerCall<Q, R> inner = new InnerCall<>(original, call);
          return new UnwrappingListener<>(handler.startCall(inner, headers), call);
        });
  }

  /**
   * A message, or why there is none.
   *
   * @param message the message; null if there is none
   * @param failure what is wrong; null if there is a message
   */
  private record Parsed<Q>(@Nullable Q message, @Nullable StatusRuntimeException failure) {
    static <Q> Parsed<Q> of(Q message) {
      return new Parsed<>(message, null);
    }

    static <Q> Parsed<Q> failed(StatusRuntimeException failure) {
      return new Parsed<>(null, failure);
    }

    static <Q> Parsed<Q> invalid() {
      return failed(ErrorReason.INVALID_ARGUMENT, "the request is no valid protobuf message");
    }

    static <Q> Parsed<Q> tooMany() {
      return failed(
          ErrorReason.LIMIT_EXCEEDED,
          "the request has more than " + MessageCount.LIMIT + " messages in it; split it");
    }

    private static <Q> Parsed<Q> failed(ErrorReason reason, String problem) {
      return failed(GrpcErrors.status(WhenceException.of(reason, problem)));
    }
  }

  private record SafeMarshaller<Q>(MethodDescriptor.Marshaller<Q> marshaller)
      implements MethodDescriptor.Marshaller<Parsed<Q>> {
    @Override
    public InputStream stream(Parsed<Q> parsed) {
      throw new IllegalStateException("a server sends no requests");
    }

    @Override
    public Parsed<Q> parse(InputStream stream) {
      try {
        // A stream of compressed bytes doesn't know how many it has.
        boolean isSmall = stream instanceof KnownLength && stream.available() <= SMALL_BYTES;
        return isSmall ? parsed(stream) : counted(stream.readAllBytes());
      } catch (StatusRuntimeException e) {
        return Parsed.failed(e); // More bytes than a request may have, decompressed.
      } catch (IOException e) {
        return Parsed.invalid();
      }
    }

    private Parsed<Q> counted(byte[] bytes) throws IOException {
      Descriptor type = type();
      return type != null && MessageCount.isTooLarge(type, bytes)
          ? Parsed.tooMany()
          : parsed(new ByteArrayInputStream(bytes));
    }

    private Parsed<Q> parsed(InputStream stream) {
      try {
        return Parsed.of(marshaller.parse(stream));
      } catch (StatusRuntimeException e) {
        return Parsed.invalid();
      }
    }

    /** Returns the type of the messages, if it is known. */
    private @Nullable Descriptor type() {
      return marshaller instanceof MethodDescriptor.PrototypeMarshaller<?> prototypes
              && prototypes.getMessagePrototype() instanceof Message prototype
          ? prototype.getDescriptorForType()
          : null;
    }
  }

  /** The call as the service sees it. It uses the type of requests in its descriptor alone. */
  private static final class InnerCall<Q, R> extends SimpleForwardingServerCall<Q, R> {
    private final MethodDescriptor<Q, R> descriptor;

    @SuppressWarnings("unchecked") // A call only sends; requests come to the listener.
    InnerCall(MethodDescriptor<Q, R> descriptor, ServerCall<Parsed<Q>, R> call) {
      super((ServerCall<Q, R>) (ServerCall<?, R>) call);
      this.descriptor = descriptor;
    }

    @Override
    public MethodDescriptor<Q, R> getMethodDescriptor() {
      return descriptor;
    }
  }

  private static final class UnwrappingListener<Q, R> extends ServerCall.Listener<Parsed<Q>> {
    private final ServerCall.Listener<Q> listener;
    private final ServerCall<Parsed<Q>, R> call;
    private boolean refused;

    UnwrappingListener(ServerCall.Listener<Q> listener, ServerCall<Parsed<Q>, R> call) {
      this.listener = listener;
      this.call = call;
    }

    @Override
    public void onMessage(Parsed<Q> parsed) {
      Q message = parsed.message();
      if (message != null) {
        listener.onMessage(message);
      } else if (!refused) {
        refused = true;
        StatusRuntimeException failure = Objects.requireNonNull(parsed.failure());
        Metadata trailers = Status.trailersFromThrowable(failure);
        call.close(failure.getStatus(), trailers == null ? new Metadata() : trailers);
        if (!call.getMethodDescriptor().getType().clientSendsOneMessage()) {
          // It may be about to answer earlier messages, and must not any more.
          listener.onCancel();
        }
      }
    }

    @Override
    public void onHalfClose() {
      if (!refused) {
        listener.onHalfClose();
      }
    }

    @Override
    public void onCancel() {
      listener.onCancel();
    }

    @Override
    public void onComplete() {
      listener.onComplete();
    }

    @Override
    public void onReady() {
      listener.onReady();
    }
  }
}
