package io.whence.bench.steady;

import com.google.protobuf.Duration;
import io.grpc.Channel;
import io.whence.bench.Caller;
import io.whence.v1.MaxTimestampPosition;
import io.whence.v1.Outcome;
import io.whence.v1.Position;
import io.whence.v1.ResolveTimestampRequest;
import io.whence.v1.ResolveTimestampResponse;
import io.whence.v1.ResolverServiceGrpc;
import io.whence.v1.ResolverServiceGrpc.ResolverServiceBlockingStub;
import io.whence.v1.TimePoint;
import io.whence.v1.TimestampAnswer;
import io.whence.v1.TimestampQuery;
import io.whence.v1.TimestampQueryResult;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Looks up several positions in all partitions. Thread safety: single-writer. */
final class Lookups implements Caller {
  private static final TimePoint SOON_AGO =
      TimePoint.newBuilder().setAgo(Duration.newBuilder().setSeconds(3)).build();
  private static final ResolveTimestampRequest REQUEST = request();

  private final ResolverServiceBlockingStub stub;
  private ResolveTimestampResponse response = ResolveTimestampResponse.getDefaultInstance();

  Lookups(Channel channel) {
    stub = ResolverServiceGrpc.newBlockingStub(channel);
  }

  private static ResolveTimestampRequest request() {
    ResolveTimestampRequest.Builder request = ResolveTimestampRequest.newBuilder();
    for (Position position :
        List.of(
            Position.newBuilder().setAtOrAfter(SOON_AGO).build(),
            Position.newBuilder().setAtOrBefore(SOON_AGO).build(),
            Position.newBuilder().setAllAfter(SOON_AGO).build(),
            Position.newBuilder()
                .setMaxTimestamp(MaxTimestampPosition.getDefaultInstance())
                .build())) {
      request.addQueries(
          TimestampQuery.newBuilder().setTopic(SteadyTopic.NAME).setPosition(position));
    }
    return request.build();
  }

  @Override
  public void prepare() {
    response = ResolveTimestampResponse.getDefaultInstance();
  }

  @Override
  public void call() {
    response = stub.withDeadlineAfter(30, TimeUnit.SECONDS).resolveTimestamp(REQUEST);
  }

  @Override
  public void check() {
    require(response.getResultsCount() == REQUEST.getQueriesCount(), response);
    for (TimestampQueryResult result : response.getResultsList()) {
      require(result.getAnswersCount() == SteadyTopic.PARTITIONS, result);
      result.getAnswersList().forEach(Lookups::check);
    }
  }

  private static void check(TimestampAnswer answer) {
    require(answer.getOutcome() != Outcome.OUTCOME_FAILED, answer);
    require(
        answer.getOutcome() != Outcome.OUTCOME_FOUND
            || answer.getOffset() >= answer.getBounds().getLogStartOffset()
                && answer.getOffset() < answer.getBounds().getEndOffset(),
        answer);
  }

  private static void require(boolean holds, Object found) {
    if (!holds) {
      throw new IllegalStateException("lookup: answered " + found);
    }
  }
}
