package io.whence.source.kafka.fetch;

import io.whence.model.ErrorReason;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The way from the I/O thread to a feed: everything goes through the worker. Invariant: after the
 * removal nothing is called; after a call that threw, nothing is called that belongs to the same
 * generation of the position; between two other tasks of the feed, one fault waits at most. Thread
 * safety: the I/O thread alone calls it, but for {@link #remove}; the worker does what it submits.
 */
final class FeedHandle {
  /** No generation of a position: nothing is refused for a fault that could not be told. */
  private static final int NO_GENERATION = -1;

  private final PartitionFeed feed;
  private final FeedWorker worker;
  private final Listener listener;
  private volatile boolean removed;

  /** The last generation that is refused; of the worker alone, as the next. */
  private int refused = -1;

  private int failuresInRow;

  /** The fault behind which nothing was submitted; of the I/O thread alone. */
  private @Nullable Telling last;

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
    worker.submit(position(generation)::run);
  }

  /** Returns what asks for the position, to be submitted at once. */
  Runnable position(int generation) {
    last = null;
    return () -> call(generation, f -> listener.positioned(this, generation, f.position()));
  }

  /** Returns what gives the feed something that was fetched, to be submitted at once. */
  Runnable delivery(int generation, Consumer<PartitionFeed> call) {
    last = null;
    return () -> {
      if (call(generation, call)) {
        failuresInRow = 0;
      }
    };
  }

  /** Tells of a fault, in turn with what was fetched: that ends it. */
  void failed(FetchFault fault) {
    if (last == null || !last.replace(fault)) {
      last = new Telling(fault);
      worker.submit(last);
    }
  }

  /** Returns whether it was called, and has not thrown. */
  private boolean call(int generation, Consumer<PartitionFeed> call) {
    if (isEnded() || generation <= refused) {
      return false;
    }
    try {
      call.accept(feed);
      return true;
    } catch (WhenceException e) {
      refuse(generation, e); // The feed knows.
    } catch (RuntimeException e) {
      refuse(generation, e);
      tell(fault(e));
    } catch (LinkageError e) {
      refuse(generation, new IllegalStateException("a class or library can't be loaded: " + e, e));
      tell(fault(e));
    }
    return false;
  }

  private void refuse(int generation, RuntimeException failure) {
    refused = generation;
    failuresInRow++;
    listener.failed(this, generation, failuresInRow, failure);
  }

  private static FetchFault fault(Throwable failure) {
    ErrorReason reason = ErrorReason.INTERNAL;
    return new FetchFault(reason, "can't be taken: " + failure);
  }

  private void tell(FetchFault fault) {
    if (isEnded()) {
      return;
    }
    try {
      feed.failed(fault);
    } catch (RuntimeException e) {
      listener.failed(this, NO_GENERATION, failuresInRow, e);
    }
  }

  private boolean isEnded() {
    return removed || worker.isStopped();
  }

  /** A fault that waits for its turn. */
  private final class Telling implements FeedWorker.Task {
    private final AtomicReference<@Nullable FetchFault> fault;

    Telling(FetchFault fault) {
      this.fault = new AtomicReference<>(fault);
    }

    /** Puts another one in its place, unless it was told already; returns whether it did. */
    boolean replace(FetchFault next) {
      return fault.getAndUpdate(now -> now == null ? null : next) != null;
    }

    @Override
    public void run() {
      FetchFault told = fault.getAndSet(null);
      if (told != null) {
        tell(told);
      }
    }
  }
}
