package io.whence.source.kafka.fetch;

import io.whence.model.ErrorReason;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * The way from the I/O thread to a feed: everything goes through the worker. Invariant: after the
 * removal nothing is called; after a call that threw, nothing is called that belongs to the same
 * generation of the position. Thread safety: thread-safe.
 */
final class FeedHandle {
  private static final int EVERY_GENERATION = Integer.MAX_VALUE;

  private final PartitionFeed feed;
  private final FeedWorker worker;
  private final Listener listener;
  private volatile boolean removed;

  /** The last generation that is refused; of the worker alone, as the next. */
  private int refused = -1;

  private int failuresInRow;

  /** Is told by the worker what came of it. */
  interface Listener {
    /** The feed says where it is. */
    void positioned(FeedHandle feed, int generation, FetchPosition position);

    /** The feed has thrown, for which time in a row. */
    void failed(FeedHandle feed, int generation, int inRow, RuntimeException failure);
  }

  FeedHandle(PartitionFeed feed, FeedWorker worker, Listener listener) {
    this.feed = feed;
    this.worker = worker;
    this.listener = listener;
  }

  TopicPartition partition() {
    return feed.partition();
  }

  TopicId topicId() {
    return feed.topicId();
  }

  boolean isFor(PartitionFeed other) {
    return feed == other;
  }

  boolean isRemoved() {
    return removed;
  }

  /** Ends all calls. Completes when none is running any more. */
  CompletionStage<Void> remove() {
    removed = true;
    CompletableFuture<Void> done = new CompletableFuture<>();
    worker.submitAlways(() -> done.complete(null));
    return done;
  }

  /** Asks for the position. */
  void askPosition(int generation) {
    worker.submit(() -> tellPosition(generation));
  }

  /** Asks for the position, by the worker. */
  void tellPosition(int generation) {
    tryCall(generation, f -> listener.positioned(this, generation, f.position()));
  }

  /** Tells of a fault, in turn with what was fetched: that ends it. */
  void failed(FetchFault fault) {
    worker.submit(() -> tell(fault));
  }

  private void tell(FetchFault fault) {
    tryCall(EVERY_GENERATION, f -> f.failed(fault));
  }

  /** Gives the feed what was fetched, by the worker. */
  void call(int generation, Consumer<PartitionFeed> call) {
    if (tryCall(generation, call)) {
      failuresInRow = 0;
    }
  }

  private boolean tryCall(int generation, Consumer<PartitionFeed> call) {
    if (removed || generation <= refused || worker.isStopped()) {
      return false;
    }
    try {
      call.accept(feed);
      return true;
    } catch (WhenceException e) {
      failed(generation, e); // The feed knows.
    } catch (RuntimeException e) {
      failed(generation, e);
      tellFailure(generation, ErrorReason.INTERNAL, e);
    } catch (LinkageError e) {
      failed(generation, new IllegalStateException("a class or library can't be loaded: " + e, e));
      tellFailure(generation, ErrorReason.INTERNAL, e);
    }
    return false;
  }

  private void failed(int generation, RuntimeException failure) {
    if (generation != EVERY_GENERATION) {
      refused = generation;
      failuresInRow++;
    }
    listener.failed(this, generation, failuresInRow, failure);
  }

  private void tellFailure(int generation, ErrorReason reason, Throwable failure) {
    if (generation != EVERY_GENERATION) {
      tell(new FetchFault(reason, "can't be taken: " + failure, reason.isRetriable()));
    }
  }
}
