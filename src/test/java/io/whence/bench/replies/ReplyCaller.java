package io.whence.bench.replies;

import io.grpc.ManagedChannel;
import io.grpc.stub.StreamObserver;
import io.whence.v1.Position;
import io.whence.v1.ResolveTimestampRequest;
import io.whence.v1.ResolveTimestampResponse;
import io.whence.v1.ResolverServiceGrpc;
import io.whence.v1.TimePoint;
import io.whence.v1.TimestampQuery;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Sends one call after the other, each as soon as the one before has ended, until there are no more
 * to send. Thread safety: single-writer, the thread on which the call ends.
 */
final class ReplyCaller {
  private static final int LIMIT_SECONDS = 60;

  private final ResolverServiceGrpc.ResolverServiceStub stub;
  private final AtomicLong unsent;
  private final ReplyTally tally;
  private final CountDownLatch ended;

  /**
   * Makes a caller.
   *
   * @param unsent how many calls all callers together still have to send
   * @param ended is told once this one has none
   */
  ReplyCaller(ManagedChannel channel, AtomicLong unsent, ReplyTally tally, CountDownLatch ended) {
    this.stub = ResolverServiceGrpc.newStub(channel);
    this.unsent = unsent;
    this.tally = tally;
    this.ended = ended;
  }

  /** Sends the next call, if there is one. */
  void next() {
    long number = unsent.decrementAndGet();
    if (number < 0) {
      ended.countDown();
      return;
    }
    long offset = number % RepliesTopic.RECORDS;
    ResolveTimestampRequest request =
        ResolveTimestampRequest.newBuilder()
            .addQueries(
                TimestampQuery.newBuilder()
                    .setTopic(RepliesTopic.NAME)
                    .setPosition(
                        Position.newBuilder()
                            .setAtOrAfter(
                                TimePoint.newBuilder()
                                    .setEpochMs(RepliesTopic.timestampMs(offset)))))
            .build();
    stub.withDeadlineAfter(LIMIT_SECONDS, TimeUnit.SECONDS)
        .resolveTimestamp(request, new Reply(offset));
  }

  /** What one call gets. */
  private final class Reply implements StreamObserver<ResolveTimestampResponse> {
    private final long offset;
    private int answers;
    private int ends;
    private long answered = -1;

    Reply(long offset) {
      this.offset = offset;
    }

    @Override
    public void onNext(ResolveTimestampResponse response) {
      answers++;
      answered = response.getResults(0).getAnswers(0).getOffset();
      if (ends > 0) {
        tally.wrong("an answer after the end of the call for " + offset);
      }
    }

    @Override
    public void onCompleted() {
      if (ends++ > 0) {
        tally.wrong("the call for " + offset + " ended twice");
      } else if (answers != 1 || answered != offset) {
        tally.wrong(
            "the call for %d had %d answers, the last %d".formatted(offset, answers, answered));
        next();
      } else {
        tally.answered();
        next();
      }
    }

    @Override
    public void onError(Throwable failure) {
      tally.failed(failure);
      if (ends++ == 0) {
        next();
      }
    }
  }
}
