package io.whence.noop;

import io.grpc.BindableService;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCallHandler;
import io.grpc.ServerServiceDefinition;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.quarkus.grpc.GrpcService;
import io.whence.v1.ResolveTimestampRequest;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * What a call costs before it does anything. Each of its methods {@code Answer0}, {@code Answer1}
 * and so on parses a ResolveTimestampRequest, as every method for it must, and answers bytes that
 * were stored before with {@code Store0}, {@code Store1} and so on. Thread safety: thread-safe.
 */
@GrpcService
public class NoOpGrpcService implements BindableService {
  private static final String NAME = "whence.bench.NoOpService";
  private static final int ANSWERS = 64;
  private static final byte[] NOTHING = {};

  private final AtomicReferenceArray<byte[]> answers = new AtomicReferenceArray<>(ANSWERS);

  @Override
  public ServerServiceDefinition bindService() {
    ServerServiceDefinition.Builder service = ServerServiceDefinition.builder(NAME);
    for (int i = 0; i < ANSWERS; i++) {
      int number = i;
      answers.set(number, NOTHING);
      service.addMethod(
          method("Store" + number, new ByteMarshaller()),
          unary(
              (byte[] bytes) -> {
                answers.set(number, bytes);
                return NOTHING;
              }));
      service.addMethod(
          method(
              "Answer" + number,
              ProtoUtils.marshaller(ResolveTimestampRequest.getDefaultInstance())),
          unary((ResolveTimestampRequest request) -> answers.get(number)));
    }
    return service.build();
  }

  private static <Q> MethodDescriptor<Q, byte[]> method(
      String name, MethodDescriptor.Marshaller<Q> requests) {
    return MethodDescriptor.<Q, byte[]>newBuilder()
        .setType(MethodDescriptor.MethodType.UNARY)
        .setFullMethodName(MethodDescriptor.generateFullMethodName(NAME, name))
        .setRequestMarshaller(requests)
        .setResponseMarshaller(new ByteMarshaller())
        .build();
  }

  private static <Q> ServerCallHandler<Q, byte[]> unary(Answering<Q> answering) {
    return ServerCalls.asyncUnaryCall(
        (Q request, StreamObserver<byte[]> observer) -> {
          observer.onNext(answering.answer(request));
          observer.onCompleted();
        });
  }

  /** Answers a request. */
  @FunctionalInterface
  private interface Answering<Q> {
    byte[] answer(Q request);
  }
}
