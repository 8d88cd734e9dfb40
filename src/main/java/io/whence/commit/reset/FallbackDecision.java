package io.whence.commit.reset;

import io.whence.model.TopicPartition;
import java.util.Set;

/**
 * What to do with the fall-backs of one plan. Thread safety: immutable.
 *
 * @param choice what to do with those that are not accepted by name
 * @param accepted those that are
 */
public record FallbackDecision(FallbackChoice choice, Set<TopicPartition> accepted) {
  /** Copies the partitions. */
  public FallbackDecision {
    accepted = Set.copyOf(accepted);
  }

  boolean accepts(TopicPartition partition) {
    return choice == FallbackChoice.ACCEPT || accepted.contains(partition);
  }
}
