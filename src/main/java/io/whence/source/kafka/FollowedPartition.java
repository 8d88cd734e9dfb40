package io.whence.source.kafka;

import io.whence.log.FollowPosition;
import io.whence.log.FollowedEnds;
import io.whence.log.FollowedLog;
import io.whence.log.LogSnapshot;
import io.whence.log.StorageFailures;
import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.IsolationLevel;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.source.kafka.StartOffsets.Begin;
import io.whence.source.kafka.fetch.FetchFault;
import io.whence.source.kafka.fetch.FetchPosition;
import io.whence.source.kafka.fetch.FetchedBounds;
import io.whence.source.kafka.fetch.PartitionFeed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
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
  private final Completeness completeness;

  private final Object progress = new Object();

  /** What the lane does to the log before it asks where to go on. */
  private final AtomicReference<@Nullable LogChange> due = new AtomicReference<>();

  private volatile @Nullable FetchFault fault;
  private volatile long failingSinceNanos;
  private volatile @Nullable FetchedBounds bounds;

  /**
   * How often the log was begun anew or cut, or is about to be: what was seen before may be gone.
   */
  private final AtomicInteger cuts = new AtomicInteger();

  private volatile Fetched fetchedSoFar = new Fetched(0, 0);

  /** When the cluster had removed no record that the log has; null if that was never looked at. */
  private volatile @Nullable Long removalsSeenNanos;

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
    this.completeness = new Completeness(maxStaleness);
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
    return completeness.isCaughtUp();
  }

  /** Returns why it can't be followed now, if that is so. */
  Optional<FetchFault> fault() {
    return Optional.ofNullable(fault);
  }

  /** Returns since when it fails, by {@link System#nanoTime}; says nothing while it doesn't. */
  long failingSinceNanos() {
    return failingSinceNanos;
  }

  /** Returns what its leader has told last; empty if it has told nothing since the start. */
  Optional<FetchedBounds> bounds() {
    return Optional.ofNullable(bounds);
  }

  Fetched fetchedSoFar() {
    return fetchedSoFar;
  }

  /** Says that the log has no record that the cluster had removed at a time. */
  void removalsSeen(long nanos) {
    removalsSeenNanos = nanos;
  }

  /**
   * Returns for how long the log cleaner of the cluster may have removed records that are still
   * found.
   *
   * @return milliseconds; empty if that was never looked at, as for topics that are not compacted
   */
  OptionalLong removalsUnseenMs() {
    Long seen = removalsSeenNanos;
    return seen == null
        ? OptionalLong.empty()
        : OptionalLong.of(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - seen));
  }

  /** Returns for how long the cluster may have gone on without this being seen. */
  long stalenessMs() {
    return completeness.stalenessMs();
  }

  /**
   * Returns the log as it is at this moment.
   *
   * @throws WhenceException before all was fetched once, and when it is not followed for too long:
   *     the reason of that; before it was fetched, {@code NOT_READY} where it may pass
   */
  LogSnapshot snapshot() {
    while (true) {
      int before = cuts.get();
      requireComplete();
      LogSnapshot known = log.snapshot();
      if (cuts.get() == before) {
        return known; // Else it may be one of a log that has just been begun anew.
      }
    }
  }

  private void requireComplete() {
    FetchFault now = fault;
    if (!completeness.isCaughtUp()) {
      throw failure(
          now == null || now.reason().isRetriable() ? ErrorReason.NOT_READY : now.reason(),
          "has not been followed to its end since the start" + progress());
    }
    long stalenessMs = stalenessMs();
    if (stalenessMs > completeness.maxStalenessMs()) {
      throw failure(
          now == null ? ErrorReason.LEADER_UNAVAILABLE : now.reason(),
          "was last confirmed "
              + stalenessMs
              + " ms ago, longer than the "
              + completeness.maxStalenessMs()
              + " ms of max-staleness"
              + (now == null ? progress() : ": " + now.message()));
    }
  }

  /** Returns how often the log was begun anew or cut, or is about to be. */
  int cuts() {
    return cuts.get();
  }

  /**
   * Returns why only a leader could be asked.
   *
   * @return {@code NOT_READY}, {@code NOT_FOLLOWED}, or why it is not followed
   */
  WhenceException notKnown(IsolationLevel isolation) {
    try {
      LogSnapshot known = snapshot();
      known.requireReadable(known.logStartOffset(), known.firstOffset(), isolation);
      return failure(ErrorReason.NOT_READY, "has just been followed to its end; ask again");
    } catch (WhenceException e) {
      return e;
    }
  }

  private String progress() {
    FetchedBounds known = bounds;
    FetchFault now = fault;
    if (now != null) {
      return ": " + now.message();
    }
    return known == null
        ? "; its leader has not answered yet"
        : ": at offset " + log.snapshot().highWatermark() + " of " + known.highWatermark();
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

  /** Returns whether it has nothing yet and does not begin at the first record that there is. */
  boolean isToBePlaced() {
    return !start.rule().isEarliest() && log.firstOffset() == 0 && log.position().nextOffset() == 0;
  }

  /** Lets it begin somewhere, before it is fetched; returns whether that could be written. */
  boolean beginAt(Begin begin) {
    try {
      moveTo(begin);
      fault = null;
      return true;
    } catch (WhenceException e) {
      return false; // That is the fault now.
    }
  }

  private void moveTo(Begin begin) {
    if (begin.offset() != log.firstOffset() || begin.offset() != log.position().nextOffset()) {
      cuts.incrementAndGet();
      run(() -> log.restartAt(begin.offset()));
    }
    begin.provenMs().ifPresent(ms -> log.proveHead(begin.offset(), ms));
  }

  @Override
  public FetchPosition position() {
    LogChange change = due.getAndSet(null);
    if (change != null) {
      // What was confirmed since this was asked for says nothing of what is left.
      completeness.lost();
      cuts.incrementAndGet();
      run(change);
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
    fetchedSoFar =
        new Fetched(log.position().nextOffset(), fetchedSoFar.bytes() + batches.remaining());
    confirmed(fetched);
  }

  @Override
  public void unchanged(FetchedBounds known) {
    run(() -> log.raiseStart(Math.min(known.logStartOffset(), log.position().nextOffset())));
    log.confirm(ends(known));
    confirmed(known);
  }

  /**
   * Waits until all records are in the log that a leader had.
   *
   * @param end where the leader says that its log ends, and in which epoch it does
   * @param untilNanos when to give up, by {@link System#nanoTime}
   * @return whether they are
   */
  boolean awaitEnd(LeaderOffset end, long untilNanos, Cancellation cancellation)
      throws InterruptedException {
    synchronized (progress) {
      while (!hasAllBelow(end)) {
        cancellation.check();
        if (System.nanoTime() - untilNanos > 0) {
          return false;
        }
        progress.wait(LOOK_MS);
      }
    }
    return true;
  }

  /**
   * What was fetched in an earlier epoch may be another history: numbers alone say nothing then.
   */
  private boolean hasAllBelow(LeaderOffset end) {
    FetchedBounds seen = bounds;
    return seen != null && seen.leaderEpoch() >= end.leaderEpoch() && endOffset() >= end.offset();
  }

  /** Returns up to where all is in the log; waits for no disk. */
  private long endOffset() {
    return log.snapshot().highWatermark();
  }

  private void confirmed(FetchedBounds seen) {
    bounds = seen;
    fault = null;
    if (endOffset() >= seen.highWatermark() && completeness.reached(seen.asOfNanos())) {
      log.tellWatchers(); // They were told of records when nothing was answered.
    }
    synchronized (progress) {
      progress.notifyAll();
    }
  }

  /**
   * Says that the log has all that the cluster had at a time, if it has been followed to its end;
   * an earlier time than one before changes nothing.
   *
   * @param nanos the time, by {@link System#nanoTime}
   */
  void completeAsOf(long nanos) {
    if (completeness.confirmed(nanos)) {
      log.tellWatchers();
    }
  }

  /** Lets those who watch look, if it fails for a reason that doesn't pass: they may give up. */
  void tellOfLastingFault() {
    FetchFault now = fault;
    if (now != null && !now.reason().isRetriable()) {
      log.tellWatchers();
    }
  }

  private static FollowedEnds ends(FetchedBounds bounds) {
    return new FollowedEnds(
        bounds.logStartOffset(), bounds.highWatermark(), bounds.lastStableOffset());
  }

  @Override
  public void diverged(int leaderEpoch, long endOffset) {
    cuts.incrementAndGet();
    run(() -> log.truncateTo(Math.min(endOffset, log.endOffset(leaderEpoch))));
  }

  /** The cluster's log begins above, or ends below: it is followed from where it begins now. */
  @Override
  public void outOfRange() {
    completeness.lost();
    start.ask(this, begin -> due.set(() -> moveTo(begin)));
  }

  /** Lets the lane cut the log and fetch the rest again; returns false while it is busy. */
  boolean refetchFrom(long offset) {
    return due.compareAndSet(null, () -> log.truncateTo(Math.max(offset, log.firstOffset())));
  }

  @Override
  public void failed(FetchFault newFault) {
    if (fault == null) {
      failingSinceNanos = System.nanoTime();
    }
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
    failed(new FetchFault(failure.reason(), String.valueOf(failure.getMessage())));
    return failure;
  }

  /** A change that touches files. */
  @FunctionalInterface
  private interface LogChange {
    void apply() throws IOException;
  }
}
