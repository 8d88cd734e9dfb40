package io.whence.log;

import io.whence.model.ErrorReason;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;

/** Says why a log takes nothing any more. Thread safety: thread-safe, it has no state. */
final class StoppedLog {
  private StoppedLog() {}

  /**
   * Returns the failure of a change to a followed log.
   *
   * @param reason {@code DRAINING} if the server stops, {@code STALE_TOPIC} if its topic is gone
   */
  static WhenceException notFollowed(TopicPartition partition, ErrorReason reason) {
    return WhenceException.of(
        reason,
        partition
            + ": is no longer followed, since "
            + (reason == ErrorReason.DRAINING ? "the server stops" : "its topic was deleted")
            + "; nothing was written",
        "topic",
        partition.topic());
  }
}
