package io.whence.source.kafka;

import io.whence.source.SourceHealth;
import io.whence.source.SourceHealth.Partitions;
import io.whence.source.SourceHealth.State;
import io.whence.source.kafka.fetch.FetchFault;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Tells how well a followed cluster is answered for. Invariant: once it was followed to its end it
 * is never loading again; what it can't answer for makes it stale. Thread safety: thread-safe.
 */
final class FollowingHealth {
  private final long maxStalenessMs;

  /** Whether all partitions were followed to their end once, or said why they can't be. */
  private volatile boolean settled;

  /**
   * Makes the health of a source that has not begun.
   *
   * @param maxStaleness how old an answer may be
   */
  FollowingHealth(Duration maxStaleness) {
    maxStalenessMs = maxStaleness.toMillis();
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
    settled |= count.pending == 0;
    State state = state(count, problem);
    String reason = count.reason.isEmpty() && problem != null ? problem : count.reason;
    return new SourceHealth(state, count.partitions(), reason);
  }

  private State state(Count count, @Nullable String problem) {
    if (!settled) {
      return State.LOADING;
    }
    // The first partitions of a cluster that had none are answered for soon.
    boolean isLost = count.caughtUp > 0 || count.failing == count.followed;
    if (count.answering == 0 && count.followed > 0 && isLost) {
      return State.NOT_SERVING;
    }
    boolean whole = count.answering == count.followed && count.failing == 0 && problem == null;
    return whole ? State.READY : State.STALE;
  }

  /** Counts partitions. */
  private final class Count {
    private int followed;
    private int caughtUp;
    private int answering;
    private int failing;
    private int pending;
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
