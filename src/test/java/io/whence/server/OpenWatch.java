package io.whence.server;

import io.grpc.Context;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import io.whence.v1.ResolverServiceGrpc.ResolverServiceStub;
import io.whence.v1.TimePoint;
import io.whence.v1.WatchQuery;
import io.whence.v1.WatchTimestampRequest;
import io.whence.v1.WatchTimestampResponse;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A watch that goes on meanwhile, with its events. Thread safety: thread-safe. */
final class OpenWatch implements StreamObserver<WatchTimestampResponse> {
  private final BlockingQueue<WatchTimestampResponse> events = new LinkedBlockingQueue<>();
  private final CompletableFuture<StatusRuntimeException> end = new CompletableFuture<>();
  private final Context.CancellableContext context = Context.ROOT.withCancellation();

  /** Starts to watch partition 0 of a topic. */
  static OpenWatch start(ResolverServiceStub stub, String topic, long epochMs) {
    OpenWatch watch = new OpenWatch();
    WatchTimestampRequest request =
        WatchTimestampRequest.newBuilder()
            .setSource("embedded")
            .addQueries(
                WatchQuery.newBuilder()
                    .setTopic(topic)
                    .setTime(TimePoint.newBuilder().setEpochMs(epochMs)))
            .build();
    watch.context.run(() -> stub.watchTimestamp(request, watch));
    return watch;
  }

  /** Waits for the next event. */
  WatchTimestampResponse next() throws InterruptedException {
    WatchTimestampResponse event = events.poll(20, TimeUnit.SECONDS);
    if (event == null) {
      throw new AssertionError("no event; " + end);
    }
    return event;
  }

  /** Waits for the failure that it ends with. */
  StatusRuntimeException failure() throws Exception {
    return end.get(60, TimeUnit.SECONDS);
  }

  boolean isOpen() {
    return !end.isDone();
  }

  void cancel() {
    context.cancel(null);
  }

  @Override
  public void onNext(WatchTimestampResponse event) {
    events.add(event);
  }

  @Override
  public void onError(Throwable failure) {
    end.complete((StatusRuntimeException) failure);
  }

  @Override
  public void onCompleted() {
    end.completeExceptionally(new AssertionError("completed"));
  }
}
