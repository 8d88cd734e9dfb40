package io.whence.app;

import io.whence.source.kafka.KafkaEvents;
import org.jboss.logging.Logger;

/** Writes to the log how the following of clusters goes. Thread safety: thread-safe. */
final class LoggedFollowing implements KafkaEvents {
  private static final Logger LOG = Logger.getLogger("io.whence.kafka");

  @Override
  public void refreshFailed(String source, String problem) {
    LOG.warnf("topics of the cluster not refreshed, tried again: source=%s: %s", source, problem);
  }

  @Override
  public void progressed(String source, int partitionCount, int caughtUpCount, String failing) {
    if (failing.isEmpty()) {
      LOG.infof(
          "following: source=%s partitions=%d caught_up=%d", source, partitionCount, caughtUpCount);
    } else {
      LOG.warnf(
          "following in part: source=%s partitions=%d caught_up=%d: %s",
          source, partitionCount, caughtUpCount, failing);
    }
  }
}
