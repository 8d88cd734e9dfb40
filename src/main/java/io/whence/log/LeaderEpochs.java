package io.whence.log;

import java.util.List;
import java.util.OptionalLong;

/**
 * Where the leader epochs of a log begin, as far as that is known. Invariant: epochs and their
 * start offsets increase. Thread safety: immutable.
 *
 * @param entries the oldest first
 */
public record LeaderEpochs(List<EpochEntry> entries) {
  /** Nothing is known. */
  public static final LeaderEpochs NONE = new LeaderEpochs(List.of());

  /** Copies the list. */
  public LeaderEpochs {
    entries = List.copyOf(entries);
  }

  /**
   * Returns where the largest epoch ends that is not above one, as a later one begins there. What
   * was read beyond in that epoch, the log has no more.
   *
   * @return the offset, exclusive; empty where such an epoch or a later one isn't known
   */
  public OptionalLong endOf(int epoch) {
    for (int i = entries.size() - 2; i >= 0; i--) {
      if (entries.get(i).epoch() <= epoch) {
        EpochEntry next = entries.get(i + 1);
        return next.epoch() > epoch
            ? OptionalLong.of(next.startOffset())
            : OptionalLong.empty(); // The last one, which goes on.
      }
    }
    return OptionalLong.empty();
  }
}
