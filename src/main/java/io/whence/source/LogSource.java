package io.whence.source;

import io.whence.log.LogSnapshot;
import io.whence.log.LogWatch;
import io.whence.log.StoredRecord;
import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.IsolationLevel;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * A named set of topics whose logs can be asked. Thread safety: thread-safe.
 *
 * <p>Topics that don't exist fail with {@code UNKNOWN_TOPIC}, partitions with {@code
 * UNKNOWN_PARTITION}, and everything before {@link #isReady()} with {@code NOT_READY}; all are
 * {@link WhenceException}s.
 */
public interface LogSource {
  /** Returns the name. */
  String name();

  /** Returns the kind. */
  SourceKind kind();

  /** Returns whether the logs are loaded. */
  boolean isReady();

  /** Returns how well it answers now. */
  default SourceHealth health() {
    return SourceHealth.of(isReady() ? SourceHealth.State.READY : SourceHealth.State.LOADING, "");
  }

  /** Returns what the operator should know, such as directories that could not be read. */
  List<String> warnings();

  /** Returns all topics, by name. */
  List<TopicInfo> topics();

  /** Returns one topic. */
  TopicInfo topic(String topic);

  /** Returns the logs of a topic. Takes no lock. */
  PartitionLogs logs(String topic);

  /** Returns the log of a partition as it is at this moment. */
  default LogSnapshot snapshot(TopicPartition partition) {
    return logs(partition.topic()).snapshot(partition.partition());
  }

  /**
   * Reads visible records, with keys and values; from the disk, or from where the source has them.
   *
   * @param log the partition as it is at this moment
   * @throws WhenceException {@code STALE_TOPIC} if where they are there is another topic now
   */
  default List<StoredRecord> read(LogSnapshot log, ReadRange range, Cancellation cancellation) {
    return log.read(
        range.offset(), range.maxRecords(), range.maxBytes(), range.isolation(), cancellation);
  }

  /** Returns whether its logs follow others, which may have records that these have not yet. */
  default boolean isFollower() {
    return false;
  }

  /**
   * Waits until logs have what the logs that they follow had when this was called. Not for an event
   * loop.
   *
   * @return why that could not be reached, by partition; nothing of those where it was
   */
  default Map<TopicPartition, WhenceException> catchUp(
      Collection<TopicPartition> partitions, Cancellation cancellation) {
    return Map.of();
  }

  /**
   * Asks the cluster that the logs follow, where these can't tell: one that is not followed to its
   * end yet, or that is followed from elsewhere than its beginning. Not for an event loop.
   *
   * @param questions any number; the same more than once, too
   * @return an answer for each question, in that order
   */
  default List<ClusterAnswer> askCluster(
      List<ClusterQuestion> questions, IsolationLevel isolation, Cancellation cancellation) {
    throw new UnsupportedOperationException("source '" + name() + "' follows no cluster");
  }

  /**
   * Asks to be told of new records of a partition: each time that some are there of which one may
   * be at or after a time, and when its topic is deleted; where there are transactions, also when
   * one has ended; where logs follow others, also when one is answered for again that was not for a
   * reason that passes, and now and then while one fails for another reason. Who asks looks at the
   * {@link #snapshot} after this, not before, and misses nothing.
   *
   * @param targetMs the time, in epoch milliseconds
   * @param onRecords is run by any thread, also before this returns; must return at once
   * @throws WhenceException {@code UNSUPPORTED} where logs don't grow
   */
  default LogWatch watch(TopicPartition partition, long targetMs, Runnable onRecords) {
    throw WhenceException.of(
        ErrorReason.UNSUPPORTED,
        "source '"
            + name()
            + "' is read-only: its logs don't grow, so there is nothing to wait for",
        "source",
        name());
  }

  /**
   * Returns for how long, in milliseconds, the logs may have gone on without this source seeing it:
   * 0 for logs that it owns, the time since it was opened for an archive; where partitions differ,
   * {@link PartitionLogs#stalenessMs} tells.
   */
  long stalenessMs();

  /** Returns the same of one partition. */
  default long stalenessMs(TopicPartition partition) {
    return logs(partition.topic()).stalenessMs(partition.partition(), stalenessMs());
  }
}
