package io.whence.commit;

import io.whence.log.LogSnapshot;
import io.whence.model.Cancellation;
import io.whence.model.IsolationLevel;
import io.whence.model.LogBounds;
import io.whence.model.TopicId;
import io.whence.model.UnreadRecords;
import io.whence.resolve.LogResolver;
import java.util.Optional;

/**
 * Tells how far a group is behind in a partition, from the offset and the records alone: nothing is
 * sampled or interpolated. Reads files; not for an event loop. Thread safety: thread-safe.
 */
public final class LagReader {
  private final LogResolver resolver;

  /** Makes a reader. */
  public LagReader(LogResolver resolver) {
    this.resolver = resolver;
  }

  /**
   * Tells the lag of one partition. It is exact if the offset was read before the log, and the id
   * of the topic after it; an offset that was committed meanwhile could lie above the end.
   *
   * @param committed what the group has committed
   * @param topicId the id of the topic that the log is of, if it is known
   * @param log the log
   * @param isolation which records count
   * @param nowMs the clock that waiting is measured by, in epoch milliseconds
   * @throws io.whence.model.WhenceException {@code DAMAGED_LOG} when a record that is left to read
   *     could lie where the log can't be read
   */
  public PartitionLag lag(
      Optional<CommittedOffset> committed,
      Optional<TopicId> topicId,
      LogSnapshot log,
      IsolationLevel isolation,
      long nowMs,
      Cancellation cancellation) {
    if (committed.isEmpty()) {
      return new PartitionLag(
          LagStatus.NO_OFFSET, -1, log.bounds(isolation), UnreadRecords.NONE, nowMs);
    }
    long offset = committed.get().nextOffset();
    // The new topic may be longer than the old one was: only the id tells.
    if (committed.get().isStaleFor(topicId)) {
      return new PartitionLag(
          LagStatus.STALE_TOPIC, offset, log.bounds(isolation), UnreadRecords.NONE, nowMs);
    }
    UnreadRecords unread = resolver.unread(log, offset, isolation, cancellation);
    LogBounds bounds = log.bounds(isolation);
    return new PartitionLag(status(offset, bounds, unread), offset, bounds, unread, nowMs);
  }

  private static LagStatus status(long offset, LogBounds bounds, UnreadRecords unread) {
    if (offset < bounds.logStartOffset()) {
      return LagStatus.BELOW_START;
    }
    if (offset > bounds.endOffset()) {
      return LagStatus.AHEAD_OF_END;
    }
    return unread.recordCount() == 0 ? LagStatus.CAUGHT_UP : LagStatus.BEHIND;
  }
}
