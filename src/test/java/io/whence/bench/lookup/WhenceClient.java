package io.whence.bench.lookup;

import io.grpc.Channel;
import io.whence.v1.Outcome;
import io.whence.v1.ResolveTimestampRequest;
import io.whence.v1.ResolveTimestampResponse;
import io.whence.v1.ResolverServiceGrpc;
import io.whence.v1.ResolverServiceGrpc.ResolverServiceBlockingStub;
import io.whence.v1.TimestampAnswer;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The generated client, as users have it: encodes requests, decodes answers. Single-writer. */
final class WhenceClient implements LookupClient {
  private static final long NO_OFFSET = -1;

  private final ResolverServiceBlockingStub stub;
  private final List<ResolveTimestampRequest> requests;
  private ResolveTimestampResponse response = ResolveTimestampResponse.getDefaultInstance();

  WhenceClient(Channel channel, List<Question> questions) {
    stub = ResolverServiceGrpc.newBlockingStub(channel);
    requests = questions.stream().map(Question::request).toList();
  }

  @Override
  public void ask(int question) {
    response =
        stub.withDeadlineAfter(30, TimeUnit.SECONDS).resolveTimestamp(requests.get(question));
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
