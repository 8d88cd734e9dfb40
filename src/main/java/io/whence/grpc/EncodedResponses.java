package io.whence.grpc;

import io.grpc.MethodDescriptor;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.stub.ServerCalls;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A service of which some methods answer with messages that are encoded already. Descriptors stay
 * as they are but for the marshaller, so that reflection goes on working. Thread safety:
 * single-writer.
 */
final class EncodedResponses {
  private final ServiceDescriptor original;
  private final Map<String, ServerMethodDefinition<?, ?>> methods = new LinkedHashMap<>();

  EncodedResponses(ServerServiceDefinition service) {
    original = service.getServiceDescriptor();
    service
        .getMethods()
        .forEach(method -> methods.put(method.getMethodDescriptor().getFullMethodName(), method));
  }

  /** Replaces a unary method. */
  <Q> EncodedResponses unary(
      MethodDescriptor<Q, ?> method, ServerCalls.UnaryMethod<Q, EncodedMessage> handler) {
    methods.replace(
        method.getFullMethodName(),
        ServerMethodDefinition.create(encoded(method), ServerCalls.asyncUnaryCall(handler)));
    return this;
  }

  /** Replaces a method with streams both ways. */
  <Q> EncodedResponses bidiStreaming(
      MethodDescriptor<Q, ?> method, ServerCalls.BidiStreamingMethod<Q, EncodedMessage> handler) {
    methods.replace(
        method.getFullMethodName(),
        ServerMethodDefinition.create(
            encoded(method), ServerCalls.asyncBidiStreamingCall(handler)));
    return this;
  }

  /** Returns the service. */
  ServerServiceDefinition service() {
    ServiceDescriptor.Builder descriptor =
        ServiceDescriptor.newBuilder(original.getName())
            .setSchemaDescriptor(original.getSchemaDescriptor());
    methods.values().forEach(method -> descriptor.addMethod(method.getMethodDescriptor()));
    ServerServiceDefinition.Builder service = ServerServiceDefinition.builder(descriptor.build());
    methods.values().forEach(service::addMethod);
    return service.build();
  }

  private static <Q> MethodDescriptor<Q, EncodedMessage> encoded(MethodDescriptor<Q, ?> method) {
    return method.toBuilder(method.getRequestMarshaller(), EncodedMessage.marshaller()).build();
  }
}
