package io.whence.source.kafka;

import io.whence.log.FollowPosition;
import io.whence.log.FollowedEnds;
import io.whence.log.FollowedLog;
import io.whence.log.LogSnapshot;
import io.whence.log.StorageFailures;
import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.source.kafka.fetch.FetchFault;
import io.whence.source.kafka.fetch.FetchPosition;
import io.whence.source.kafka.fetch.FetchedBounds;
import io.whence.source.kafka.fetch.PartitionFeed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One partition of a cluster and the log that follows it. Answers only while the cluster has lately
 * confirmed that nothing is missing. Thread safety: thread-safe for readers; its lane, one thread
 * at a time, writes.
 */
final class FollowedPartition implements PartitionFeed {
  private static final long LOOK_MS = 10;

  private final String source;
  private final TopicId topicId;
  private final FollowedLog log;
  private final BoundsQuestion start;
  private final Duration maxStaleness;

  private final Object progress = new Object();

  /** Where to go on, as the cluster said; null if nowhere else. Taken by the lane. */
  private volatile @Nullable Long moveTo;

  private volatile @Nullable FetchFault fault;
  private volatile @Nullable FetchedBounds bounds;

  /** When the log was last known to have all that the cluster had; meaningful once caught up. */
  private volatile long completeAsOfNanos;

  private volatile boolean caughtUp;

  /**
   * Makes a partition that is not followed yet.
   *
   * @param source the name of the source
   * @param maxStaleness how old an answer may be
   */
  FollowedPartition(
      String source,
      TopicId topicId,
      FollowedLog log,
      BoundsQuestion start,
      Duration maxStaleness) {
    this.source = source;
    this.topicId = topicId;
    this.log = log;
    this.start = start;
    this.maxStaleness = maxStaleness;
  }

  @Override
  public TopicPartition partition() {
    return log.partition();
  }

  @Override
  public TopicId topicId() {
    return topicId;
  }

  FollowedLog log() {
    return log;
  }

  /** Returns whether it has had all that the cluster had, at some moment since the start. */
  boolean isCaughtUp() {
    return caughtUp;
  }

  /** Returns why it can't be followed now, if that is so. */
  Optional<FetchFault> fault() {
    return Optional.ofNullable(fault);
  }

  /** Returns for how long the cluster may have gone on without this being seen. */
  long stalenessMs() {
    return Math.max(0, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - completeAsOfNanos));
  }

  /**
   * Returns the log as it is at this moment.
   *
   * @throws WhenceException {@code NOT_READY} before all was fetched once; the reason why it is not
   *     followed, when that is so for too long
   */
  LogSnapshot snapshot() {
    if (!caughtUp) {
      throw failure(
          ErrorReason.NOT_READY, "has not been followed to its end since the start" + progress());
    }
    long stalenessMs = stalenessMs();
    if (stalenessMs > maxStaleness.toMillis()) {
      FetchFault now = fault;
      throw failure(
          now == null ? ErrorReason.LEADER_UNAVAILABLE : now.reason(),
          "was last confirmed "
              + stalenessMs
              + " ms ago, longer than the "
              + maxStaleness.toMillis()
              + " ms of max-staleness"
              + (now == null ? progress() : ": " + now.message()));
    }
    return log.snapshot();
  }

  private String progress() {
    FetchedBounds known = bounds;
    FetchFault now = fault;
    if (now != null) {
      return ": " + now.message();
    }
    return known == null
        ? "; its leader has not answered yet"
        : ": at offset " + log.position().nextOffset() + " of " + known.highWatermark();
  }

  /** Returns a failure of this partition. */
  WhenceException failure(ErrorReason reason, String what) {
    TopicPartition partition = partition();
    return WhenceException.of(
        reason,
        "partition " + partition.partition() + " of topic '" + partition.topic() + "' " + what,
        "source",
        source,
        "topic",
        partition.topic(),
        "partition",
        partition.partition());
  }

  @Override
  public FetchPosition position() {
    Long target = moveTo;
    if (target != null) {
      moveTo = null;
      run(() -> log.restartAt(target));
    }
    FollowPosition position = log.position();
    return new FetchPosition(position.nextOffset(), position.lastEpoch());
  }

  @Override
  public void fetched(ByteBuffer batches, FetchedBounds fetched) {
    run(
        () -> {
          log.raiseStart(Math.min(fetched.logStartOffset(), log.position().nextOffset()));
          log.append(batches, ends(fetched));
        });
    confirmed(fetched);
  }

  @Override
  public void unchanged(FetchedBounds known) {
    run(() -> log.raiseStart(Math.min(known.logStartOffset(), log.position().nextOffset())));
    log.confirm(ends(known));
    confirmed(known);
  }

  /**
   * Waits until all records below an offset are in the log.
   *
   * @param untilNanos when to give up, by {@link System#nanoTime}
   * @return whether they are
   */
  boolean awaitOffset(long offset, long untilNanos, Cancellation cancellation)
      throws InterruptedException {
    synchronized (progress) {
      while (log.position().nextOffset() < offset) {
        cancellation.check();
        if (System.nanoTime() > untilNanos) {
          return false;
        }
        progress.wait(LOOK_MS);
      }
    }
    return true;
  }

  private void confirmed(FetchedBounds seen) {
    bounds = seen;
    fault = null;
    if (log.position().nextOffset() >= seen.highWatermark()) {
      completeAsOfNanos = seen.asOfNanos();
      caughtUp = true;
    }
    synchronized (progress) {
      progress.notifyAll();
    }
  }

  private static FollowedEnds ends(FetchedBounds bounds) {
    return new FollowedEnds(
        bounds.logStartOffset(), bounds.highWatermark(), bounds.lastStableOffset());
  }

  @Override
  public void diverged(int leaderEpoch, long endOffset) {
    run(() -> log.truncateTo(Math.min(endOffset, log.endOffset(leaderEpoch))));
  }

  /** The cluster's log begins above, or ends below: it is fetched again from its start. */
  @Override
  public void outOfRange() {
    caughtUp = false;
    start.ask(this, offset -> moveTo = offset);
  }

  @Override
  public void failed(FetchFault newFault) {
    fault = newFault;
  }

  /** A log that can't be written is why nothing is followed; the lane tries again after a while. */
  private void run(LogChange change) {
    try {
      change.apply();
    } catch (IOException e) {
      throw failed(StorageFailures.of(e, "follow " + partition(), log.directory()));
    } catch (WhenceException e) {
      throw failed(e);
    }
  }

  private WhenceException failed(WhenceException failure) {
    fault =
        new FetchFault(
            failure.reason(), String.valueOf(failure.getMessage()), failure.reason().isRetriable());
    return failure;
  }

  /** A change that touches files. */
  @FunctionalInterface
  private interface LogChange {
    void apply() throws IOException;
  }
}
