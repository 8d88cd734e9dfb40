package io.whence.source.kafka.fetch;

import io.whence.model.TopicPartition;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Fetches some partitions of one cluster, over connections of its own. It has two threads: one asks
 * the brokers, one hands over what they answer. Leaders that move, brokers that go and come back
 * and connections that break are its own business; feeds hear of what lasts. Invariant: what a feed
 * gets begins where the last ended, or where it says it is; a re-created topic is another one.
 * Thread safety: thread-safe.
 */
public final class FetchLane implements AutoCloseable {
  private static final long CLOSE_LIMIT_NANOS = TimeUnit.MILLISECONDS.toNanos(1_900);

  private final Map<TopicPartition, FeedHandle> feeds = new ConcurrentHashMap<>();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final LaneParts parts;
  private final LaneLoop loop;
  private final Thread ioThread;
  private final Thread workerThread;

  /** Until when the close may wait; counts from the stop on. */
  private volatile long endNanos;

  private FetchLane(LaneParts parts, LaneLoop loop, ThreadFactory threads) {
    this.parts = parts;
    this.loop = loop;
    ioThread = threads.newThread(loop);
    workerThread = threads.newThread(parts.worker());
  }

  /**
   * Starts a lane that follows nothing yet. Nothing is waited for: a cluster that can't be reached
   * is told to the feeds.
   *
   * @param name what events and the client's log call it
   * @param clientConfig settings of a consumer: {@code bootstrap.servers}, and what secures the
   *     connections
   * @param limits what bounds it
   * @param threads makes its two threads
   * @param events is told what happens
   * @throws IllegalArgumentException if a consumer could not use a setting
   */
  public static FetchLane start(
      String name,
      Map<String, ?> clientConfig,
      FetchLimits limits,
      ThreadFactory threads,
      FetchEvents events) {
    LaneParts parts = new LaneParts(name, limits, events, new FeedWorker(), new LaneInbox());
    LaneLoop loop = new LaneLoop(parts, ClientSettings.of(name, clientConfig, limits));
    FetchLane lane = new FetchLane(parts, loop, threads);
    lane.ioThread.start();
    lane.workerThread.start();
    return lane;
  }

  /**
   * Begins to follow a partition, from where its feed says.
   *
   * @throws IllegalStateException if the lane is closed, or follows the partition already
   */
  public void follow(PartitionFeed feed) {
    FeedHandle handle = new FeedHandle(feed, parts.worker(), new Answers());
    if (closed.get()) {
      throw new IllegalStateException("lane '" + parts.name() + "' is closed");
    }
    if (feeds.putIfAbsent(feed.partition(), handle) != null) {
      throw new IllegalStateException(feed.partition() + " is followed already");
    }
    parts.inbox().post(() -> loop.roster().follow(handle));
  }

  /**
   * Ends to follow a partition. Does nothing if it is not followed.
   *
   * @return completes when no call into the feed is running, nor comes any more
   */
  public CompletionStage<Void> unfollow(PartitionFeed feed) {
    FeedHandle handle = feeds.get(feed.partition());
    if (handle == null || !handle.isFor(feed) || !feeds.remove(feed.partition(), handle)) {
      return CompletableFuture.completedFuture(null);
    }
    parts.inbox().post(() -> loop.roster().unfollow(handle));
    return handle.remove();
  }

  /**
   * Lets the lane ask a feed for its position, which has changed without the lane. What is under
   * way for the old position is not handed over any more. Does nothing if it is not followed.
   */
  public void reposition(PartitionFeed feed) {
    FeedHandle handle = feeds.get(feed.partition());
    if (handle != null && handle.isFor(feed)) {
      parts.inbox().post(() -> loop.roster().reposition(handle));
    }
  }

  /** Begins to end everything, and returns at once: several lanes end side by side. */
  public void stop() {
    if (closed.compareAndSet(false, true)) {
      endNanos = System.nanoTime() + CLOSE_LIMIT_NANOS;
      parts.worker().stop();
      loop.stop();
    }
  }

  /**
   * Ends everything, within two seconds after the stop. A feed that is in the middle of a call then
   * ends it alone; nothing else is called afterwards.
   */
  @Override
  public void close() {
    stop();
    join(workerThread, endNanos);
    join(ioThread, endNanos);
  }

  private static void join(Thread thread, long deadline) {
    long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
    if (millis <= 0 || Thread.currentThread().equals(thread)) {
      return;
    }
    try {
      thread.join(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Takes what feeds say back to the I/O thread. */
  private final class Answers implements FeedHandle.Listener {
    @Override
    public void positioned(FeedHandle feed, int generation, FetchPosition position) {
      parts.inbox().post(() -> loop.roster().positioned(feed, generation, position));
    }

    @Override
    public void failed(FeedHandle feed, int generation, int inRow, RuntimeException failure) {
      parts.events().feedFailed(parts.name(), feed.partition(), inRow, failure);
      parts.inbox().post(() -> loop.roster().failed(feed, generation, inRow, failure));
    }
  }
}
