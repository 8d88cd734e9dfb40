package io.whence.bench.replies;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
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

  private final Channel channel;
  private final AtomicLong unsent;
  private final ReplyTally tally;
  private final CountDownLatch ended;

  /**
   * Makes a caller.
   *
   * @param unsent how many calls all callers together still have to send
   * @param ended is told once this one has none
   */
  ReplyCaller(Channel channel, AtomicLong unsent, ReplyTally tally, CountDownLatch ended) {
    this.channel = channel;
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
    ClientCall<ResolveTimestampRequest, ResolveTimestampResponse> call =
        channel.newCall(
            ResolverServiceGrpc.getResolveTimestampMethod(),
            CallOptions.DEFAULT.withDeadlineAfter(LIMIT_SECONDS, TimeUnit.SECONDS));
    call.start(new Reply(offset), new Metadata());
    call.sendMessage(request);
    call.halfClose();
    call.request(2); // One more than there may be.
  }

  /** What one call gets; a stub would hide a second answer, or a second end. */
  private final class Reply extends ClientCall.Listener<ResolveTimestampResponse> {
    private final long offset;
    private int answers;
    private int ends;
    private long answered = -1;

    Reply(long offset) {
      this.offset = offset;
    }

    @Override
    public void onMessage(ResolveTimestampResponse response) {
      answers++;
      answered = response.getResults(0).getAnswers(0).getOffset();
      if (ends > 0) {
        tally.wrong("an answer after the end of the call for " + offset);
      }
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      if (ends++ > 0) {
        tally.wrong("the call for " + offset + " ended twice");
        return;
      }
      if (!status.isOk()) {
        tally.failed(status);
      } else if (answers != 1 || answered != offset) {
        tally.wrong(
            "the call for %d had %d answers, the last %d".formatted(offset, answers, answered));
      } else {
        tally.answered();
      }
      next();
    }
  }
}
