package io.whence.server;

import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import io.whence.v1.Position;
import io.whence.v1.ResolveTimestampRequest;
import io.whence.v1.ResolverServiceGrpc.ResolverServiceStub;
import io.whence.v1.StreamResolveTimestampRequest;
import io.whence.v1.StreamResolveTimestampResponse;
import io.whence.v1.TimePoint;
import io.whence.v1.TimestampQuery;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A stream of lookups that goes on meanwhile. Thread safety: thread-safe. */
final class OpenStream implements StreamObserver<StreamResolveTimestampResponse> {
  private final BlockingQueue<StreamResolveTimestampResponse> answers = new LinkedBlockingQueue<>();
  private final CompletableFuture<StatusRuntimeException> end = new CompletableFuture<>();
  private final StreamObserver<StreamResolveTimestampRequest> requests;

  /** Starts a stream. */
  OpenStream(ResolverServiceStub stub) {
    requests = stub.streamResolveTimestamp(this);
  }

  /** Asks for a moment in partition 0 of a topic. */
  void ask(long tag, String topic, long epochMs) {
    requests.onNext(
        StreamResolveTimestampRequest.newBuilder()
            .setTag(tag)
            .setRequest(
                ResolveTimestampRequest.newBuilder()
                    .setSource("embedded")
                    .addQueries(
                        TimestampQuery.newBuilder()
                            .setTopic(topic)
                            .addPartitions(0)
                            .setPosition(
                                Position.newBuilder()
                                    .setAtOrAfter(TimePoint.newBuilder().setEpochMs(epochMs)))))
            .build());
  }

  /** Waits for the next answer. */
  StreamResolveTimestampResponse next() throws InterruptedException {
    StreamResolveTimestampResponse answer = answers.poll(20, TimeUnit.SECONDS);
    if (answer == null) {
      throw new AssertionError("no answer; " + end);
    }
    return answer;
  }

  /** Waits a little for an answer, and takes it. */
  void poll() throws InterruptedException {
    StreamResolveTimestampResponse unused = answers.poll(10, TimeUnit.MILLISECONDS);
  }

  /** Waits for the failure that it ends with. */
  StatusRuntimeException failure() throws Exception {
    return end.get(60, TimeUnit.SECONDS);
  }

  boolean isOpen() {
    return !end.isDone();
  }

  @Override
  public void onNext(StreamResolveTimestampResponse answer) {
    answers.add(answer);
  }

  @Override
  public void onError(Throwable failure) {
    end.complete((StatusRuntimeException) failure);
  }

  @Override
  public void onCompleted() {
    end.completeExceptionally(new AssertionError("completed by the server"));
  }
}
