package io.whence.grpc;

import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.Outcome;
import io.whence.model.Position;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.resolve.PositionAnswer;
import io.whence.source.LogSource;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where the logs end that a source follows elsewhere, as far as one call needs to know. The first
 * record at or after a time stays the answer, whatever is written behind it; that there is none
 * yet, and which one is the last or the largest, is true only of a log that has all that its leader
 * has; so is an answer that may be no older than that. Thread safety: single-writer; goes with its
 * call.
 */
final class LogEnds {
  private final LogSource source;
  private final boolean wanted;
  private final long maxStalenessMs;

  /** Why ends could not be confirmed; null before anybody asked. */
  private @Nullable Map<TopicPartition, WhenceException> failures;

  /**
   * Makes the ends that a call sees.
   *
   * @param localOnly whether the leaders are not to be asked
   * @param maxStalenessMs how old answers may be, in milliseconds
   */
  LogEnds(LogSource source, boolean localOnly, long maxStalenessMs) {
    this.source = source;
    this.wanted = source.isFollower() && !localOnly;
    this.maxStalenessMs = maxStalenessMs;
  }

  /**
   * Returns whether an answer is worth nothing before ends are confirmed.
   *
   * @param stalenessMs how old it is
   */
  boolean isDue(Target target, PositionAnswer answer, long stalenessMs) {
    return wanted && failures == null && (stalenessMs > maxStalenessMs || needsEnd(target, answer));
  }

  /** Returns whether the answer about a position may depend on where the log ends. */
  boolean mayBeDue(Target target) {
    return maxStalenessMs < Long.MAX_VALUE || !(target.position() instanceof Position.Earliest);
  }

  /** All that is looked for from the end on, or not found, may lie in what came since. */
  private static boolean needsEnd(Target target, PositionAnswer answer) {
    return !(target.position() instanceof Position.Earliest)
        && !(target.position() instanceof Position.AtOrAfter && answer.outcome() == Outcome.FOUND);
  }

  /** Waits until logs have what their leaders have now. */
  void confirm(Collection<TopicPartition> partitions, Cancellation cancellation) {
    failures = source.catchUp(partitions, cancellation);
  }

  /**
   * Fails if an answer depends on an end that could not be confirmed, or is too old.
   *
   * @param stalenessMs how old it is
   */
  void require(
      String topic, int partition, Target target, PositionAnswer answer, long stalenessMs) {
    boolean isTooOld = stalenessMs > maxStalenessMs;
    Map<TopicPartition, WhenceException> known = failures;
    if (known == null) {
      if (isTooOld) {
        throw tooOld(topic, partition, stalenessMs);
      }
    } else if (!known.isEmpty() && (isTooOld || needsEnd(target, answer))) {
      WhenceException failure = known.get(new TopicPartition(topic, partition));
      if (failure != null) {
        throw failure;
      }
    }
  }

  private WhenceException tooOld(String topic, int partition, long stalenessMs) {
    boolean mayAsk = source.isFollower();
    return WhenceException.of(
        mayAsk ? ErrorReason.LEADER_UNAVAILABLE : ErrorReason.UNSUPPORTED,
        "partition "
            + partition
            + " of topic '"
            + topic
            + "' is a copy that was last confirmed "
            + stalenessMs
            + " ms ago, longer than max_staleness_ms "
            + maxStalenessMs
            + (mayAsk
                ? "; without local_only, its leader would be asked"
                : "; source '" + source.name() + "' gets nothing newer"),
        "topic",
        topic,
        "partition",
        partition);
  }
}
