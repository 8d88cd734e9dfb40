package io.whence.grpc;

import io.whence.model.Cancellation;
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
 * Where the logs end that a source follows elsewhere, as far as one call needs to know. A record
 * that was found stays the answer, whatever is written behind it; that there is none yet is true
 * only of a log that has all that its leader has. Thread safety: single-writer; goes with its call.
 */
final class LogEnds {
  private final LogSource source;
  private final boolean wanted;

  /** Why ends could not be confirmed; null before anybody asked. */
  private @Nullable Map<TopicPartition, WhenceException> failures;

  /**
   * Makes the ends that a call sees.
   *
   * @param localOnly whether the logs are good enough as they are
   */
  LogEnds(LogSource source, boolean localOnly) {
    this.source = source;
    this.wanted = source.isFollower() && !localOnly;
  }

  /** Returns whether an answer is worth nothing before ends are confirmed. */
  boolean isDue(Target target, PositionAnswer answer) {
    return wanted && failures == null && needsEnd(target, answer);
  }

  /** Returns whether the answer about a position may depend on where the log ends. */
  static boolean mayNeedEnd(Target target) {
    return target.position() instanceof Position.Latest
        || target.position() instanceof Position.AtOrAfter;
  }

  private static boolean needsEnd(Target target, PositionAnswer answer) {
    return target.position() instanceof Position.Latest
        || (target.position() instanceof Position.AtOrAfter && answer.outcome() != Outcome.FOUND);
  }

  /** Waits until logs have what their leaders have now. */
  void confirm(Collection<TopicPartition> partitions, Cancellation cancellation) {
    failures = source.catchUp(partitions, cancellation);
  }

  /** Fails if an answer depends on an end that could not be confirmed. */
  void require(String topic, int partition, Target target, PositionAnswer answer) {
    Map<TopicPartition, WhenceException> known = failures;
    if (known != null && !known.isEmpty() && needsEnd(target, answer)) {
      WhenceException failure = known.get(new TopicPartition(topic, partition));
      if (failure != null) {
        throw failure;
      }
    }
  }
}
