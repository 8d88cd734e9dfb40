package io.whence.bench.lookup;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.stub.ClientCalls;
import io.whence.v1.Outcome;
import io.whence.v1.ResolveTimestampRequest;
import io.whence.v1.ResolveTimestampResponse;
import io.whence.v1.ResolverServiceGrpc;
import io.whence.v1.TimestampAnswer;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * The generated messages, as users have them: encodes requests, decodes answers; of
 * ResolveTimestamp, or of a method that does nothing and answers the same. Thread safety:
 * single-writer.
 */
final class WhenceClient implements LookupClient {
  private static final long NO_OFFSET = -1;

  private final Channel channel;
  private final List<ResolveTimestampRequest> requests;
  private final List<MethodDescriptor<ResolveTimestampRequest, ResolveTimestampResponse>> methods;
  private ResolveTimestampResponse response = ResolveTimestampResponse.getDefaultInstance();

  private WhenceClient(
      Channel channel,
      List<Question> questions,
      List<MethodDescriptor<ResolveTimestampRequest, ResolveTimestampResponse>> methods) {
    this.channel = channel;
    this.requests = questions.stream().map(Question::request).toList();
    this.methods = methods;
  }

  /** Makes a client of ResolveTimestamp. */
  static WhenceClient ofWhence(Channel channel, List<Question> questions) {
    return new WhenceClient(
        channel,
        questions,
        Collections.nCopies(questions.size(), ResolverServiceGrpc.getResolveTimestampMethod()));
  }

  /** Makes a client of the method that does nothing. */
  static WhenceClient ofNoOp(Channel channel, List<Question> questions) {
    return new WhenceClient(
        channel,
        questions,
        IntStream.range(0, questions.size())
            .mapToObj(BytesClient::noOpMethod)
            .map(
                name ->
                    ResolverServiceGrpc.getResolveTimestampMethod().toBuilder()
                        .setFullMethodName(name)
                        .build())
            .toList());
  }

  @Override
  public void ask(int question) {
    response =
        ClientCalls.blockingUnaryCall(
            channel,
            methods.get(question),
            CallOptions.DEFAULT.withDeadlineAfter(30, TimeUnit.SECONDS),
            requests.get(question));
  }

  @Override
  public long[] offsets() {
    return offsets(response);
  }

  /** Returns the offsets of an answer; -1 where there is none. */
  static long[] offsets(ResolveTimestampResponse response) {
    return response.getResultsList().stream()
        .flatMap(result -> result.getAnswersList().stream())
        .mapToLong(WhenceClient::offset)
        .toArray();
  }

  private static long offset(TimestampAnswer answer) {
    return answer.getOutcome() == Outcome.OUTCOME_FOUND ? answer.getOffset() : NO_OFFSET;
  }
}
