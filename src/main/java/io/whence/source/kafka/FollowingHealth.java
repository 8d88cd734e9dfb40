package io.whence.source.kafka;

import io.whence.source.SourceHealth;
import io.whence.source.SourceHealth.Partitions;
import io.whence.source.SourceHealth.State;
import io.whence.source.kafka.fetch.FetchFault;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Tells how well a followed cluster is answered for. Invariant: once it was followed to its end it
 * is never loading again; what it can't answer for makes it stale. Thread safety: thread-safe.
 */
final class FollowingHealth {
  private final long maxStalenessMs;
  private final LongSupplier nanoTime;

  /** Whether all partitions were followed to their end once, or said why they can't be. */
  private volatile boolean settled;

  /**
   * Makes the health of a source that has not begun.
   *
   * @param maxStaleness how old an answer may be, and how long the start waits for what fails
   * @param nanoTime tells the time, as {@link System#nanoTime} does
   */
  FollowingHealth(Duration maxStaleness, LongSupplier nanoTime) {
    this.maxStalenessMs = maxStaleness.toMillis();
    this.nanoTime = nanoTime;
  }

  /**
   * Tells how it is now.
   *
   * @param told whether the cluster has told its topics since the start
   * @param listed whether the logs of these topics were opened since
   * @param problem why not all topics are followed that the cluster has, in a sentence; null if all
   *     are
   * @param partitions all partitions that are followed
   */
  SourceHealth look(
      boolean told, boolean listed, @Nullable String problem, List<FollowedPartition> partitions) {
    if (!listed && problem != null) {
      return SourceHealth.of(State.NOT_SERVING, problem);
    }
    if (!told) {
      return SourceHealth.of(State.LOADING, "the cluster has not told its topics yet");
    }
    Count count = new Count();
    partitions.forEach(count::add);
    if (!listed) {
      return new SourceHealth(
          State.LOADING, count.partitions(), "the logs of its topics are being opened");
    }
    State state = state(count, problem);
    String reason = count.reason.isEmpty() && problem != null ? problem : count.reason;
    return new SourceHealth(state, count.partitions(), reason);
  }

  private State state(Count count, @Nullable String problem) {
    if (count.followed > 0 && count.failing == count.followed && count.answering == 0) {
      return State.NOT_SERVING;
    }
    settled = settled || isSettled(count);
    if (!settled) {
      return State.LOADING;
    }
    // None was confirmed lately. The first ones of a cluster that had none are answered for soon.
    if (count.answering == 0 && count.caughtUp > 0) {
      return State.NOT_SERVING;
    }
    boolean whole = count.answering == count.followed && count.failing == 0 && problem == null;
    return whole ? State.READY : State.STALE;
  }

  /**
   * A leader that is away for a moment while the server starts is waited for, one for long isn't.
   */
  private boolean isSettled(Count count) {
    boolean isComing = count.followed > 0 && (count.pending > 0 || count.caughtUp == 0);
    return !isComing && count.passingMs >= maxStalenessMs;
  }

  /** Counts partitions. */
  private final class Count {
    private int followed;
    private int caughtUp;
    private int answering;
    private int failing;

    /** Not yet followed to their end, and nothing says why they should not be. */
    private int pending;

    /**
     * For how long the last of those has failed that are not yet followed to their end for a reason
     * that may pass; the largest long if there are none.
     */
    private long passingMs = Long.MAX_VALUE;

    private final long nowNanos = nanoTime.getAsLong();
    private long oldestMs = -1;
    private long removalsUnseenMs = -1;
    private String reason = "";

    void add(FollowedPartition partition) {
      followed++;
      Optional<FetchFault> fault = partition.fault();
      long stalenessMs = partition.isCaughtUp() ? partition.stalenessMs() : -1;
      boolean answered = stalenessMs >= 0 && stalenessMs <= maxStalenessMs;
      caughtUp += stalenessMs >= 0 ? 1 : 0;
      answering += answered ? 1 : 0;
      failing += fault.isPresent() ? 1 : 0;
      pending += stalenessMs < 0 && fault.isEmpty() ? 1 : 0;
      if (stalenessMs < 0 && fault.filter(f -> f.reason().isRetriable()).isPresent()) {
        long forNanos = nowNanos - partition.failingSinceNanos();
        passingMs = Math.min(passingMs, TimeUnit.NANOSECONDS.toMillis(forNanos));
      }
      oldestMs = Math.max(oldestMs, stalenessMs);
      removalsUnseenMs = Math.max(removalsUnseenMs, partition.removalsUnseenMs().orElse(-1));
      if (reason.isEmpty() && (fault.isPresent() || !answered)) {
        reason =
            partition.partition()
                + ": "
                + fault.map(FetchFault::message).orElseGet(() -> unanswered(stalenessMs));
      }
    }

    private static String unanswered(long stalenessMs) {
      return stalenessMs < 0
          ? "is not followed to its end yet"
          : "was last confirmed " + stalenessMs + " ms ago";
    }

    Partitions partitions() {
      return new Partitions(followed, caughtUp, answering, failing, oldestMs, removalsUnseenMs);
    }
  }
}
