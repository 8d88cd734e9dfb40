package io.whence.app;

import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.source.archive.ArchiveProgress;
import org.jboss.logging.Logger;

/** Writes to the log how far the loading of an archive is. Thread safety: thread-safe. */
final class LoggedProgress implements ArchiveProgress {
  private static final Logger LOG = Logger.getLogger("io.whence.archive");

  /** How many lines the loading of an archive makes, at the most. */
  private static final int LINES = 20;

  private final String source;

  LoggedProgress(String source) {
    this.source = source;
  }

  @Override
  public void started(String name, int partitionCount) {
    LOG.infof("loading archive: source=%s partitions=%d", name, partitionCount);
  }

  @Override
  public void loaded(TopicPartition partition, int loadedCount, int partitionCount) {
    if (loadedCount % Math.max(1, partitionCount / LINES) == 0 && partitionCount > LINES) {
      LOG.infof("loading archive: source=%s loaded=%d of=%d", source, loadedCount, partitionCount);
    }
  }

  @Override
  public void failed(TopicPartition partition, WhenceException failure) {
    LOG.warnf(
        "partition not loaded: source=%s partition=%s reason=%s: %s",
        source, partition, failure.reason(), failure.getMessage());
  }

  @Override
  public void finished(String name, int partitionCount, long tookMs) {
    LOG.infof("archive loaded: source=%s partitions=%d ms=%d", name, partitionCount, tookMs);
  }
}
