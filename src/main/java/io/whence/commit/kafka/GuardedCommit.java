package io.whence.commit.kafka;

import io.whence.commit.CommitRequest;
import io.whence.commit.CommitResult;
import io.whence.commit.EntryFacts;
import io.whence.commit.Expected;
import io.whence.commit.Group;
import io.whence.model.ErrorReason;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TransactionalIdAuthorizationException;
import org.jspecify.annotations.Nullable;

/**
 * One commit as a compare-and-set: read, judge, write in a transaction, read again what was there
 * before it, and only then end the transaction. What somebody else commits in between shows in the
 * second reading; another server that does the same is fenced, or fences this one.
 *
 * <p>Invariant: the commit is made at most once, and only where everything that it was judged by
 * was still so when its records were written. Open is a race with somebody else's transaction that
 * was undecided all the time and ends later. Waits for the cluster. Thread safety: single-writer.
 */
final class GuardedCommit {
  /** A transaction of a live server ends sooner; one of a dead server must be ended. */
  private static final Duration PATIENCE = Duration.ofMillis(50);

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(3);

  /** With less time left than this, another answer would hardly come. */
  private static final int LAST_READ_MS = 50;

  private static final int MAX_PAUSE_SHIFT = 5;
  private static final int MAX_FAULTS = 3;

  private final GuardedCommits with;
  private final CommitRequest request;
  private final List<EntryFacts> facts;
  private final List<TopicPartition> partitions;
  private final Deadline deadline;

  /** Null as long as none is open. */
  private @Nullable GroupProducer producer;

  /** What may have been made, or not; null when that is known. */
  private @Nullable Judgement undecided;

  private int fenced;
  private int faults;

  GuardedCommit(
      GuardedCommits with, CommitRequest request, List<EntryFacts> facts, Deadline deadline) {
    this.with = with;
    this.request = request;
    this.facts = facts;
    this.deadline = deadline;
    partitions = Judgement.readable(facts);
  }

  /**
   * Commits, or refuses to.
   *
   * @throws TransactionalIdAuthorizationException if the cluster allows no transactions
   */
  List<CommitResult> run() {
    producer = with.producers().take(request.group()).orElse(null);
    try {
      if (producer != null && !producer.meets(facts)) {
        drop();
      }
      while (true) {
        Optional<List<CommitResult>> done = attempt();
        if (done.isPresent()) {
          return done.get();
        }
        requireTime();
      }
    } catch (KafkaException e) {
      throw failureOf(e);
    } finally {
      GroupProducer last = producer;
      if (last != null) {
        with.producers().giveBack(request.group(), last);
      }
    }
  }

  /** Returns nothing if it is to be tried again. */
  private Optional<List<CommitResult>> attempt() {
    Group before = readDecided();
    Judgement unknown = undecided;
    if (unknown != null && !unknown.holdsFor(before)) {
      return Optional.of(madeOrNot(unknown, before));
    }
    undecided = null; // All is as it was: that commit was not made.
    Judgement judgement = Judgement.of(request, facts, before, with.clock().millis());
    if (judgement.isEmpty()) {
      return Optional.of(judgement.results());
    }
    GroupProducer current = producer;
    if (current == null) {
      producer = open();
      return Optional.empty(); // What was read before the others were fenced doesn't count.
    }
    return write(current, judgement) ? end(current, judgement) : Optional.empty();
  }

  /**
   * Tells what became of a commit whose answer was lost. What is there now may have been put there
   * by somebody who expected the same: then one of both must be told no.
   */
  private List<CommitResult> madeOrNot(Judgement unknown, Group now) {
    boolean exclusive =
        request.entries().stream()
            .anyMatch(entry -> !(entry.expected() instanceof Expected.Anything));
    if (exclusive || !unknown.isMadeIn(now)) {
      throw untold(new TimeoutException("the answer was lost"));
    }
    return unknown.results();
  }

  /** Reads until no transaction is open that would change what is read. */
  private Group readDecided() {
    Deadline patience = deadline.within(PATIENCE);
    boolean ended = false;
    while (true) {
      GroupRead read = with.reads().stable(request.group(), partitions, deadline);
      if (read.isDecided()) {
        return read.group();
      }
      if (patience.isOver() && !ended) {
        drop();
        producer = open();
        ended = true;
      }
      if (deadline.remainingMs() < LAST_READ_MS) {
        throw undecided == null
            ? stuck(read.undecided().iterator().next())
            : untold(new TimeoutException("somebody's transaction has not ended"));
      }
      deadline.pause(PAUSE_NANOS);
    }
  }

  /** Writes what is to be committed; returns whether it may be made final. */
  private boolean write(GroupProducer current, Judgement judgement) {
    try {
      current.kafka().beginTransaction();
      current
          .kafka()
          .sendOffsetsToTransaction(judgement.offsets(), ForeignMember.of(request.group()));
      Group again = with.reads().latest(request.group(), judgement.partitions(), deadline);
      if (judgement.holdsFor(again)) {
        return true;
      }
      current.kafka().abortTransaction();
    } catch (CommitFailedException e) {
      abort(current);
      throw with.members().active(request.group(), deadline);
    } catch (AuthorizationException e) {
      abort(current);
      throw e;
    } catch (KafkaException e) {
      drop();
      passOver(e);
    }
    return false;
  }

  /** Makes it final. */
  private Optional<List<CommitResult>> end(GroupProducer current, Judgement judgement) {
    try {
      current.kafka().commitTransaction();
      awaitSeen(judgement);
      return Optional.of(judgement.results());
    } catch (KafkaException e) {
      drop();
      if (!isFenced(e)) { // Who fenced this one has ended its transaction: nothing was made.
        undecided = judgement;
      }
      passOver(e);
    }
    if (undecided != null) {
      // Ends it one way or the other, so that the next reading tells.
      producer = open();
    }
    return Optional.empty();
  }

  /**
   * The coordinator of the group hears of the end a moment after that of the transaction: until
   * then a reader would not find what was acknowledged.
   */
  private void awaitSeen(Judgement judgement) {
    try {
      Group unused = with.reads().settled(request.group(), judgement.partitions(), deadline);
    } catch (RuntimeException e) {
      return; // It is made, whether it can be seen now or not.
    }
  }

  /** Ends a transaction that the broker refused to write to; the producer can go on. */
  private void abort(GroupProducer current) {
    try {
      current.kafka().abortTransaction();
    } catch (KafkaException e) {
      drop();
    }
  }

  /** Fails unless another attempt may do better. */
  private void passOver(KafkaException failure) {
    if (isFenced(failure)) {
      giveWay();
      return;
    }
    faults++;
    // What a broker doesn't explain is mostly the state of this one transaction.
    boolean passes = undecided != null || ClusterFailures.reasonOf(failure) == ErrorReason.INTERNAL;
    if (!passes || faults > MAX_FAULTS || failure instanceof InterruptException) {
      throw failure;
    }
  }

  /**
   * Returns whether another server has ended the transaction. A broker that has just done that for
   * it says that there is none in this state. Kafka's client wraps it once it is known.
   */
  private static boolean isFenced(Throwable failure) {
    return failure instanceof ProducerFencedException
        || failure instanceof InvalidProducerEpochException
        || failure instanceof InvalidTxnStateException
        || (failure.getCause() != null && isFenced(failure.getCause()));
  }

  /** Lets the server that fenced this one go first; the two must not go on in step. */
  private void giveWay() {
    fenced++;
    long bound = PAUSE_NANOS << Math.min(fenced, MAX_PAUSE_SHIFT);
    deadline.pause(Math.floorMod(System.nanoTime(), bound));
  }

  private RuntimeException failureOf(KafkaException failure) {
    if (undecided != null) {
      return untold(failure);
    }
    return failure instanceof TransactionalIdAuthorizationException
        ? failure
        : with.failures().ofGroup(failure, request.group());
  }

  private GroupProducer open() {
    GroupProducer opened = with.producers().open(request.group());
    opened.meets(facts);
    return opened;
  }

  private void drop() {
    GroupProducer last = producer;
    producer = null;
    if (last != null) {
      last.discard();
    }
  }

  private void requireTime() {
    if (deadline.isOver()) {
      throw undecided == null
          ? WhenceException.of(
              ErrorReason.LEADER_UNAVAILABLE,
              "group '"
                  + request.group()
                  + "': others commit for it so often that this commit found no time between;"
                  + " nothing was committed, try again",
              "source",
              with.source(),
              "group",
              request.group())
          : untold(new TimeoutException("no answer in time"));
    }
  }

  private WhenceException untold(KafkaException failure) {
    return with.failures().untold(failure, request.group());
  }

  private WhenceException stuck(TopicPartition partition) {
    return WhenceException.of(
        ErrorReason.LEADER_UNAVAILABLE,
        "group '"
            + request.group()
            + "': somebody's transaction for "
            + partition
            + " has not ended, so what is committed can't be told; try again, and if this lasts,"
            + " look for it with Kafka's kafka-transactions.sh find-hanging",
        "source",
        with.source(),
        "group",
        request.group());
  }
}
