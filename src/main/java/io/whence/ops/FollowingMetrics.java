package io.whence.ops;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.whence.model.FailureText;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.source.kafka.KafkaEvents;
import io.whence.source.kafka.fetch.FetchFault;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/** Counts and logs how the following of one cluster goes. Thread safety: thread-safe. */
final class FollowingMetrics implements KafkaEvents {
  private static final Logger LOG = Logger.getLogger("io.whence.kafka");

  private final String source;
  private final MeterRegistry registry;
  private final Counter refreshFailures;
  private final Counter repairs;
  private final Counter removedRecords;
  private final Counter taskFailures;
  private final Map<String, Lane> lanes = new ConcurrentHashMap<>();

  /** The kind of failure of which the log has a line, of feeds. */
  private final Map<TopicPartition, String> feedFailuresTold = new ConcurrentHashMap<>();

  FollowingMetrics(String source, MeterRegistry registry) {
    this.source = source;
    this.registry = registry;
    // At once, or alerts on growth would miss the first time.
    this.refreshFailures = KafkaMetric.REFRESH_FAILURES.counter(registry, source);
    this.repairs = KafkaMetric.REPAIRS.counter(registry, source);
    this.removedRecords = KafkaMetric.REMOVED_RECORDS.counter(registry, source);
    this.taskFailures = KafkaMetric.TASK_FAILURES.counter(registry, source);
  }

  /** The meters of a lane: found once, as there are thousands of answers a second. */
  private record Lane(
      Counter requests,
      Counter metadataRequests,
      Timer answers,
      Counter records,
      Counter bytes,
      Counter throttledMs,
      Counter brokerFailures,
      Counter feedFailures,
      Counter laneFailures) {}

  private Lane lane(String name) {
    Lane known = lanes.get(name);
    return known == null ? lanes.computeIfAbsent(name, this::register) : known;
  }

  /** All at once, or alerts on growth would miss the first time. */
  private Lane register(String name) {
    return new Lane(
        KafkaMetric.REQUESTS.counter(registry, source, name),
        KafkaMetric.METADATA_REQUESTS.counter(registry, source, name),
        KafkaMetric.ANSWERS.timer(registry, source, name),
        KafkaMetric.RECORDS.counter(registry, source, name),
        KafkaMetric.BYTES.counter(registry, source, name),
        KafkaMetric.THROTTLED_MS.counter(registry, source, name),
        KafkaMetric.BROKER_FAILURES.counter(registry, source, name),
        KafkaMetric.FEED_FAILURES.counter(registry, source, name),
        KafkaMetric.LANE_FAILURES.counter(registry, source, name));
  }

  @Override
  public void asked(String lane, int broker) {
    lane(lane).requests().increment();
  }

  @Override
  public void metadataAsked(String lane) {
    lane(lane).metadataRequests().increment();
  }

  @Override
  public void answered(String lane, int broker, long records, long bytes, long nanos) {
    Lane meters = lane(lane);
    meters.answers().record(nanos, TimeUnit.NANOSECONDS);
    meters.records().increment((double) records);
    meters.bytes().increment((double) bytes);
  }

  @Override
  public void throttled(String lane, int broker, long millis) {
    lane(lane).throttledMs().increment((double) millis);
    LOG.debugf("throttled: lane=%s broker=%d ms=%d", lane, broker, millis);
  }

  @Override
  public void brokerFailed(String lane, int broker, String failure) {
    lane(lane).brokerFailures().increment();
    LOG.debugf("broker failed: lane=%s: %s", lane, failure);
  }

  @Override
  public void partitionFailed(String lane, TopicPartition partition, FetchFault fault) {
    String reason = fault.reason().name().toLowerCase(Locale.ROOT);
    KafkaMetric.PARTITION_FAILURES.counter(registry, source, lane, reason).increment();
    LOG.debugf("partition failed: lane=%s partition=%s: %s", lane, partition, fault.message());
  }

  @Override
  public void feedFailed(
      String lane, TopicPartition partition, int inRow, RuntimeException failure) {
    lane(lane).feedFailures().increment();
    String kind =
        failure instanceof WhenceException known
            ? known.reason().name()
            : failure.getClass().getName();
    if (!kind.equals(feedFailuresTold.put(partition, kind)) || inRow <= 1) {
      LOG.warnf(
          "not followed, tried again until it succeeds: partition=%s: %s",
          partition, FailureText.of(failure));
    }
    LOG.debug("following failed", failure);
  }

  @Override
  public void laneFailed(String lane, RuntimeException failure) {
    lane(lane).laneFailures().increment();
    LOG.warnf("connections given up, made again: lane=%s: %s", lane, FailureText.of(failure));
    LOG.debug("lane failed", failure);
  }

  @Override
  public void refreshFailed(String name, String problem) {
    LOG.warnf("topics of the cluster not refreshed, tried again: source=%s: %s", name, problem);
  }

  /** Counts each; {@link #refreshFailed} logs why, once. */
  @Override
  public void refreshed(String name, boolean whole) {
    if (!whole) {
      refreshFailures.increment();
    }
  }

  @Override
  public void taskFailed(String name, RuntimeException failure) {
    taskFailures.increment();
    LOG.warnf("a task of a source failed, tried again: source=%s: %s", name, failure);
    LOG.debug("task failed", failure);
  }

  @Override
  public void removed(String name, TopicPartition partition, long recordCount) {
    removedRecords.increment((double) recordCount);
    LOG.infof(
        "records removed that the cluster had removed: source=%s partition=%s records=%d",
        name, partition, recordCount);
  }

  @Override
  public void repaired(String name, TopicPartition partition, long fromOffset) {
    repairs.increment();
    LOG.warnf(
        "files of a copy are damaged, fetched again: source=%s partition=%s fromOffset=%d",
        name, partition, fromOffset);
  }

  @Override
  public void progressed(String name, int partitionCount, int caughtUpCount, String failing) {
    if (failing.isEmpty()) {
      LOG.infof(
          "following: source=%s partitions=%d caught_up=%d", name, partitionCount, caughtUpCount);
    } else {
      LOG.warnf(
          "following in part: source=%s partitions=%d caught_up=%d: %s",
          name, partitionCount, caughtUpCount, failing);
    }
  }
}
