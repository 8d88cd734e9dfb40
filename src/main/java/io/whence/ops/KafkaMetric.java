package io.whence.ops;

import java.util.List;

/** The metrics of clusters that are followed. Thread safety: immutable. */
enum KafkaMetric implements Metric {
  LISTED(
      "whence.kafka.listed",
      Kind.GAUGE,
      "1 if the cluster has told its topics since the start, 0 if it has not; their logs are "
          + "opened after that",
      "source"),
  PARTITIONS(
      "whence.kafka.partitions",
      Kind.GAUGE,
      "partitions of a cluster that are followed; this and the next five as of the "
          + "moment of the scrape",
      "source"),
  CAUGHT_UP_PARTITIONS(
      "whence.kafka.caught.up.partitions",
      Kind.GAUGE,
      "those that have had all that their leaders had, since the start",
      "source"),
  ANSWERING_PARTITIONS(
      "whence.kafka.answering.partitions",
      Kind.GAUGE,
      "those that are answered for: caught up, and confirmed within "
          + "`whence.kafka.NAME.max-staleness`",
      "source"),
  FAILING_PARTITIONS(
      "whence.kafka.failing.partitions",
      Kind.GAUGE,
      "those that can't be fetched now, for a reason that is known",
      "source"),
  OLDEST_STALENESS_MS(
      "whence.kafka.oldest.staleness.ms",
      Kind.GAUGE,
      "for how long the partition that was confirmed the longest ago has not been; `NaN` "
          + "before one was",
      "source"),
  OLDEST_REMOVALS_LOOK_MS(
      "whence.kafka.oldest.removals.look.ms",
      Kind.GAUGE,
      "of the compacted partitions, for how long the one that was looked at the longest "
          + "ago may have records that its cluster has removed; `NaN` before one was looked "
          + "at, and where no topic is compacted",
      "source"),
  REQUESTS(
      "whence.kafka.requests",
      Kind.COUNTER,
      "questions for records that were sent to brokers",
      "source",
      "lane"),
  METADATA_REQUESTS(
      "whence.kafka.metadata.requests", Kind.COUNTER, "questions for leaders", "source", "lane"),
  ANSWERS(
      "whence.kafka.answers",
      Kind.TIMER,
      "answers with records or without; brokers wait up to half a second for records",
      "source",
      "lane"),
  RECORDS(
      "whence.kafka.records",
      Kind.COUNTER,
      "records that came, markers of transactions included",
      "source",
      "lane"),
  BYTES("whence.kafka.bytes", Kind.COUNTER, "bytes of batches that came", "source", "lane"),
  THROTTLED_MS(
      "whence.kafka.throttled.ms",
      Kind.COUNTER,
      "for how many milliseconds brokers wanted to be left alone, because of a quota",
      "source",
      "lane"),
  BROKER_FAILURES(
      "whence.kafka.broker.failures",
      Kind.COUNTER,
      "times that a broker could not be reached, broke the connection, did not answer, "
          + "or refused a whole question",
      "source",
      "lane"),
  PARTITION_FAILURES(
      "whence.kafka.partition.failures",
      Kind.COUNTER,
      "times that a partition could not be fetched; the reason in lower case, such as "
          + "`leader_unavailable` or `not_authorized`",
      "source",
      "lane",
      "reason"),
  FEED_FAILURES(
      "whence.kafka.feed.failures",
      Kind.COUNTER,
      "times that what came could not be written; the first in a row has a WARN line in the log",
      "source",
      "lane"),
  LANE_FAILURES(
      "whence.kafka.lane.failures",
      Kind.COUNTER,
      "times that all connections of a lane were given up and made again; each has a "
          + "WARN line in the log",
      "source",
      "lane"),
  REFRESH_FAILURES(
      "whence.kafka.refresh.failures",
      Kind.COUNTER,
      "times that the cluster could not be asked for its topics, or that not all of them "
          + "could be followed",
      "source"),
  REPAIRS(
      "whence.kafka.repairs",
      Kind.COUNTER,
      "times that a copy was found damaged and fetched again from there; each has a WARN "
          + "line in the log",
      "source"),
  REMOVED_RECORDS(
      "whence.kafka.removed.records",
      Kind.COUNTER,
      "records that went from copies, since the cluster had removed them from compacted "
          + "topics",
      "source"),
  TASK_FAILURES(
      "whence.kafka.task.failures",
      Kind.COUNTER,
      "times that the upkeep of a source broke off unexpectedly; it is tried again; each "
          + "has a WARN line in the log",
      "source");

  @SuppressWarnings("ImmutableEnumChecker") // A record of strings whose list never changes.
  private final Spec spec;

  KafkaMetric(String name, Kind kind, String meaning, String... labels) {
    spec = new Spec(name, kind, meaning, List.of(labels));
  }

  @Override
  public Spec spec() {
    return spec;
  }
}
