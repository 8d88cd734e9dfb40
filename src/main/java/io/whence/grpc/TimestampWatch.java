package io.whence.grpc;

import io.whence.log.LogSnapshot;
import io.whence.model.ErrorReason;
import io.whence.model.Outcome;
import io.whence.model.Resolution;
import io.whence.model.WhenceException;
import io.whence.resolve.PositionAnswer;
import io.whence.v1.TimestampAnswer;
import io.whence.v1.WatchTimestampRequest;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One WatchTimestamp call. Whatever happens only marks what is to be looked at and asks for a turn;
 * turns are taken on a worker, and do the lookups and send. Once it has ended it looks at no log
 * any more; what it holds is let go at once, or in one more turn when the client left, as the event
 * loop has no time for that. Thread safety: thread-safe.
 */
final class TimestampWatch {
  /** How many partitions are looked at before other calls get their turn. */
  private static final int LOOKS_PER_TURN = 256;

  private final WatchTimestampRequest request;
  private final WatchEvents events;
  private final Watches watches;
  private final CallScope scope;
  private final Turns turns;
  private final Queue<WatchTarget> marked = new ConcurrentLinkedQueue<>();
  private final AtomicInteger heldPartitions = new AtomicInteger();
  private final AtomicBoolean ended = new AtomicBoolean();
  private final AtomicBoolean released = new AtomicBoolean();
  private final PositionAnswer memory = new PositionAnswer();
  private volatile @Nullable WatchPlan plan;

  // These are of the thread that ticks.
  private boolean ticked;
  private long nextProgressNanos;
  private long blockedAtSent = WatchEvents.NOT_BLOCKED;
  private long blockedSinceNanos;

  /**
   * Makes a watch that has not begun.
   *
   * @param scope what it may use
   */
  TimestampWatch(
      WatchTimestampRequest request, WatchEvents events, Watches watches, CallScope scope) {
    this.request = request;
    this.events = events;
    this.watches = watches;
    this.scope = scope;
    this.turns = new Turns(watches.workers(), this::turn);
  }

  /** Asks for a turn; returns false if there is no room for even the first. */
  boolean begin() {
    turns.ask();
    return !turns.isRefused();
  }

  /** The client takes more. */
  void ready() {
    turns.ask();
  }

  /** The client has left, or its deadline has passed. */
  void cancelled() {
    if (ended.compareAndSet(false, true)) {
      scope.listener().onAbandoned(scope.rpc());
      if (plan == null) {
        release();
      } else {
        turns.ask(); // Where no worker takes it, the next tick asks again.
      }
    }
  }

  /** Ends it with a failure of the whole call. */
  void fail(Throwable failure) {
    if (end()) {
      events.fail(Reply.status(scope.rpc(), failure, scope.listener()));
    }
  }

  /** Lets go of all that it holds; returns whether it had not ended before. */
  private boolean end() {
    if (!ended.compareAndSet(false, true)) {
      return false;
    }
    release();
    return true;
  }

  private void release() {
    if (released.compareAndSet(false, true)) {
      WatchPlan current = plan;
      if (current != null) {
        current.targets().forEach(WatchTarget::letGo);
      }
      watches.givePartitionsBack(heldPartitions.getAndSet(0), connection());
      watches.remove(this, connection());
    }
  }

  private Connection connection() {
    return scope.caller().connection();
  }

  /** Returns whether another turn is needed. */
  private boolean turn() {
    if (ended.get()) {
      release();
      return false;
    }
    try {
      scope.cancellation().check();
      WatchPlan current = plan;
      lookAtMarked(current == null ? plan() : current);
      if (events.send()) {
        end();
      }
      return !ended.get() && !marked.isEmpty();
    } catch (RuntimeException e) {
      fail(e);
    } catch (Error e) {
      fail(e);
      throw e;
    }
    return false;
  }

  private WatchPlan plan() {
    WatchPlan made = WatchPlan.of(request, scope);
    int count = made.targets().size();
    watches.takePartitions(count, connection());
    heldPartitions.set(count);
    plan = made;
    if (ended.get()) {
      watches.givePartitionsBack(heldPartitions.getAndSet(0), connection());
    }
    events.begin(made);
    made.targets().forEach(this::mark);
    return made;
  }

  /** Called by whoever published records, among others. */
  private void mark(WatchTarget target) {
    if (target.mark()) {
      marked.add(target);
      turns.ask();
    }
  }

  private void lookAtMarked(WatchPlan current) {
    for (int i = 0; i < LOOKS_PER_TURN && !ended.get(); i++) {
      WatchTarget target = marked.poll();
      if (target == null) {
        return;
      }
      if (!target.isLetGo()) {
        look(target, current);
      }
    }
  }

  private void look(WatchTarget target, WatchPlan current) {
    int partition = target.partition().partition();
    Optional<TimestampAnswer> answer =
        PartitionGuard.answer(
            scope,
            target.partition().topic(),
            partition,
            () ->
                target.look(
                    current.source(), () -> mark(target), log -> answer(target, log, current)),
            error -> Optional.of(TimestampAnswers.failed(partition, error)));
    if (answer.isPresent()) {
      target.letGo();
      events.add(target, answer.get());
      boolean found = answer.get().getOutcome() == io.whence.v1.Outcome.OUTCOME_FOUND;
      scope.listener().onAnswers(scope.rpc(), "at_or_after", found ? "found" : "failed", 1);
    }
  }

  private Optional<TimestampAnswer> answer(WatchTarget target, LogSnapshot log, WatchPlan current) {
    boolean known =
        watches
            .resolver()
            .resolveFromMemory(log, target.target().position(), current.isolation(), memory);
    if (known && memory.outcome() != Outcome.FOUND) {
      return Optional.empty();
    }
    Resolution resolution =
        known
            ? memory.toResolution()
            : watches
                .resolver()
                .resolveFromLog(
                    log, target.target().position(), current.isolation(), scope.cancellation());
    TimestampAnswers answers =
        new TimestampAnswers(
            watches.clock().millis(), current.source().stalenessMs(target.partition()));
    return resolution.outcome() == Outcome.FOUND
        ? Optional.of(answers.answer(target.partition().partition(), target.target(), resolution))
        : Optional.empty();
  }

  /** Sees to what is due, some times a second. */
  void tick(long nowNanos) {
    turns.retry();
    WatchPlan current = plan;
    if (current != null && current.progressNanos() > 0) {
      tickProgress(nowNanos, current.progressNanos());
    }
    long sent = events.sentUntilBlocked();
    if (sent == WatchEvents.NOT_BLOCKED || sent != blockedAtSent) {
      blockedAtSent = sent;
      blockedSinceNanos = nowNanos;
    } else if (nowNanos - blockedSinceNanos >= watches.limits().stall().toNanos()) {
      fail(
          WhenceException.of(
              ErrorReason.OVERLOADED,
              "events were not read for "
                  + watches.limits().stall().toSeconds()
                  + " s; watch again and read them"));
    }
  }

  private void tickProgress(long nowNanos, long intervalNanos) {
    if (!ticked || nowNanos - nextProgressNanos >= 0) {
      if (ticked) {
        events.addProgress();
        turns.ask();
      }
      ticked = true;
      nextProgressNanos = nowNanos + intervalNanos;
    }
  }
}
