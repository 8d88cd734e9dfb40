package io.whence.grpc;

import io.whence.log.LogSnapshot;
import io.whence.log.LogWatch;
import io.whence.log.UnfollowedHead;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.source.LogSource;
import io.whence.source.TopicInfo;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One partition of a watch. Its log is watched from the first look until it is let go, and never
 * again after that. Thread safety: thread-safe, but only one thread at a time may look.
 */
final class WatchTarget {
  private static final LogWatch LET_GO = () -> {};

  private final int number;
  private final int queryIndex;
  private final TopicPartition partition;
  private final Target target;
  private final Optional<TopicInfo> topic;
  private final AtomicBoolean marked = new AtomicBoolean();
  private final AtomicReference<@Nullable LogWatch> watch = new AtomicReference<>();

  /**
   * Makes a target.
   *
   * @param number which one it is of its watch, from 0
   * @param queryIndex the index of its query
   * @param topic the topic when the watch began, which is the one that is watched; empty if there
   *     was none
   */
  @SuppressWarnings("OptionalUsedAsFieldOrParameterType")
  WatchTarget(
      int number,
      int queryIndex,
      TopicPartition partition,
      Target target,
      Optional<TopicInfo> topic) {
    this.number = number;
    this.queryIndex = queryIndex;
    this.partition = partition;
    this.target = target;
    this.topic = topic;
  }

  int number() {
    return number;
  }

  int queryIndex() {
    return queryIndex;
  }

  TopicPartition partition() {
    return partition;
  }

  Target target() {
    return target;
  }

  /** Notes that it is to be looked at; returns whether that was not noted yet. */
  boolean mark() {
    return marked.compareAndSet(false, true);
  }

  /**
   * Looks at the log as it is now, and goes on watching it.
   *
   * @param onRecords is called when it is to be looked at again
   * @param find finds the answer in a log, if it is there
   * @return the answer; empty if there may be one later
   * @throws WhenceException if there is none and never will be
   */
  <A> Optional<A> look(LogSource source, Runnable onRecords, Find<A> find) {
    // First: whatever comes from here on asks for another look.
    marked.set(false);
    Optional<WhenceException> refusal = watch(source, onRecords);
    Optional<LogSnapshot> log = snapshot(source);
    SameTopic.require(source, partition.topic(), topic.flatMap(TopicInfo::topicId));
    Optional<A> found = log.filter(WatchTarget::isKnown).flatMap(find::in);
    if (found.isEmpty() && refusal.isPresent()) {
      throw refusal.get();
    }
    return found;
  }

  /** A log that follows another tells its watchers when it is answered for again. */
  private Optional<LogSnapshot> snapshot(LogSource source) {
    try {
      return Optional.of(source.snapshot(partition));
    } catch (WhenceException e) {
      if (source.isFollower() && e.reason().isRetriable()) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /** What a log lacks at its beginning is found out about soon, and then its watchers are told. */
  private static boolean isKnown(LogSnapshot log) {
    UnfollowedHead head = log.head();
    return head == null || head.belowMs() < Long.MAX_VALUE;
  }

  /** Watches the log unless it does already; returns why that can't be. */
  private Optional<WhenceException> watch(LogSource source, Runnable onRecords) {
    if (watch.get() != null) {
      return Optional.empty();
    }
    try {
      LogWatch made = source.watch(partition, target.timestampMs(), onRecords);
      if (!watch.compareAndSet(null, made)) {
        made.close(); // Let go meanwhile.
      }
      return Optional.empty();
    } catch (WhenceException e) {
      return Optional.of(e);
    }
  }

  /** Returns whether it was let go: nobody looks at it any more. */
  boolean isLetGo() {
    return watch.get() == LET_GO;
  }

  /** Watches the log no longer; returns at once. */
  void letGo() {
    LogWatch made = watch.getAndSet(LET_GO);
    if (made != null) {
      made.close();
    }
  }

  /**
   * Finds an answer.
   *
   * @param <A> the answer
   */
  @FunctionalInterface
  interface Find<A> {
    /** Returns the answer if the log has it. */
    Optional<A> in(LogSnapshot log);
  }
}
