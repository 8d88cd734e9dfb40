package io.whence.bench.lookup;

import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.stub.ClientCalls;
import io.whence.testkit.BytesMarshaller;
import io.whence.v1.ResolveTimestampResponse;
import io.whence.v1.ResolverServiceGrpc;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * Sends the bytes of requests and takes those of answers, so that the time is the server's and not
 * that of messages of Java: to ResolveTimestamp, or to a method that does nothing with the same
 * bytes. Thread safety: single-writer.
 */
final class BytesClient implements LookupClient {
  private static final String NO_OP_SERVICE = "whence.bench.NoOpService";
  private static final String ANSWER = "Answer";

  private final Channel channel;
  private final List<byte[]> requests;
  private final IntFunction<MethodDescriptor<byte[], byte[]>> methods;
  private byte[] response = {};

  private BytesClient(
      Channel channel,
      List<Question> questions,
      IntFunction<MethodDescriptor<byte[], byte[]>> methods) {
    this.channel = channel;
    this.requests = questions.stream().map(question -> question.request().toByteArray()).toList();
    this.methods = methods;
  }

  /** Makes a client of ResolveTimestamp. */
  static BytesClient ofWhence(Channel channel, List<Question> questions) {
    MethodDescriptor<byte[], byte[]> method =
        BytesMarshaller.method(ResolverServiceGrpc.SERVICE_NAME, "ResolveTimestamp");
    return new BytesClient(channel, questions, question -> method);
  }

  /** Makes a client of the method that does nothing. */
  static BytesClient ofNoOp(Channel channel, List<Question> questions) {
    List<MethodDescriptor<byte[], byte[]>> methods =
        IntStream.range(0, questions.size())
            .mapToObj(i -> BytesMarshaller.method(NO_OP_SERVICE, ANSWER + i))
            .toList();
    return new BytesClient(channel, questions, methods::get);
  }

  /** Returns the full name of the method that does nothing, for a question. */
  static String noOpMethod(int question) {
    return MethodDescriptor.generateFullMethodName(NO_OP_SERVICE, ANSWER + question);
  }

  /** Lets the method that does nothing answer the same as ResolveTimestamp does now. */
  static void teachNoOp(Channel channel, List<Question> questions) throws Exception {
    BytesClient whence = ofWhence(channel, questions);
    for (int i = 0; i < questions.size(); i++) {
      whence.ask(i);
      questions.get(i).check(whence.offsets(), "Whence");
      call(channel, BytesMarshaller.method(NO_OP_SERVICE, "Store" + i), whence.response);
    }
  }

  private static byte[] call(
      Channel channel, MethodDescriptor<byte[], byte[]> method, byte[] request) {
    CallOptions options = CallOptions.DEFAULT.withDeadlineAfter(30, TimeUnit.SECONDS);
    return ClientCalls.blockingUnaryCall(channel, method, options, request);
  }

  @Override
  public void ask(int question) {
    response = call(channel, methods.apply(question), requests.get(question));
  }

  @Override
  public long[] offsets() throws InvalidProtocolBufferException {
    return WhenceClient.offsets(ResolveTimestampResponse.parseFrom(response));
  }

  /** Returns how many bytes the last answer had. */
  int responseBytes() {
    return response.length;
  }
}
