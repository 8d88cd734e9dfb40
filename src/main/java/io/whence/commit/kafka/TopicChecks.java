package io.whence.commit.kafka;

import io.whence.commit.CommitEntry;
import io.whence.commit.CommitRules;
import io.whence.commit.EntryFacts;
import io.whence.model.ErrorReason;
import io.whence.model.LogBounds;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.source.kafka.RenewedAdmin;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.errors.LeaderNotAvailableException;
import org.apache.kafka.common.errors.TopicAuthorizationException;

/**
 * Asks the cluster what the commits of a request need to know of their topics: the cluster, not the
 * logs that follow it, since these may be behind it or hold only its latest part. Waits for
 * answers. Thread safety: thread-safe.
 */
final class TopicChecks {
  /** What brokers allow unless offset.metadata.max.bytes says otherwise; then they refuse it. */
  static final int METADATA_MAX_CHARS = 4096;

  /** Of those that may lie outside the log. */
  private static final LogBounds EVERYWHERE = new LogBounds(0, Long.MAX_VALUE);

  private final RenewedAdmin admin;
  private final ClusterFailures failures;

  TopicChecks(RenewedAdmin admin, ClusterFailures failures) {
    this.admin = admin;
    this.failures = failures;
  }

  /**
   * Returns the facts of each entry, in order.
   *
   * @throws WhenceException {@code LEADER_UNAVAILABLE} if nothing can be told of any topic
   */
  List<EntryFacts> facts(List<CommitEntry> entries, Deadline deadline) {
    Topics topics = topics(entries, deadline);
    List<EntryFacts> facts = new ArrayList<>(entries.size());
    List<TopicPartition> bounded = new ArrayList<>();
    for (CommitEntry entry : entries) {
      EntryFacts known = facts(entry, topics);
      facts.add(known);
      if (known.refusal() == null && !entry.allowOutOfRange()) {
        bounded.add(known.partition());
      }
    }
    if (!bounded.isEmpty()) {
      Bounds bounds = new Bounds(bounded, deadline);
      for (int i = 0; i < facts.size(); i++) {
        if (facts.get(i).refusal() == null && !entries.get(i).allowOutOfRange()) {
          facts.set(i, bounds.added(facts.get(i)));
        }
      }
    }
    return facts;
  }

  /** What the cluster said of topics, by name; of each, one of both. */
  private record Topics(
      Map<String, TopicDescription> described, Map<String, WhenceException> failed) {}

  private Topics topics(List<CommitEntry> entries, Deadline deadline) {
    Set<String> names =
        entries.stream().map(entry -> entry.partition().topic()).collect(Collectors.toSet());
    Map<String, KafkaFuture<TopicDescription>> answers =
        admin
            .client()
            .describeTopics(
                names,
                new DescribeTopicsOptions()
                    .includeAuthorizedOperations(true)
                    .timeoutMs(deadline.remainingMs()))
            .topicNameValues();
    Topics topics = new Topics(new HashMap<>(), new HashMap<>());
    answers.forEach(
        (topic, answer) -> {
          try {
            topics.described().put(topic, AdminCalls.await(answer, deadline));
          } catch (RuntimeException e) {
            topics.failed().put(topic, failures.ofTopic(e, topic));
          }
        });
    requireSome(topics);
    return topics;
  }

  /** A request is refused as a whole where the cluster is away: clients retry by that. */
  private static void requireSome(Topics topics) {
    boolean away =
        topics.described().isEmpty()
            && topics.failed().values().stream()
                .allMatch(failure -> failure.reason() == ErrorReason.LEADER_UNAVAILABLE);
    if (away) {
      throw topics.failed().values().iterator().next();
    }
  }

  private EntryFacts facts(CommitEntry entry, Topics topics) {
    TopicPartition partition = entry.partition();
    TopicDescription topic = topics.described().get(partition.topic());
    if (topic == null) {
      WhenceException failure = topics.failed().get(partition.topic());
      return EntryFacts.refused(partition, Objects.requireNonNull(failure));
    }
    try {
      requirePartition(entry, topic);
      CommitRules.check(entry, KafkaTypes.topicId(topic.topicId()), METADATA_MAX_CHARS);
      return new EntryFacts(partition, KafkaTypes.topicId(topic.topicId()), EVERYWHERE, null);
    } catch (WhenceException e) {
      return EntryFacts.refused(partition, e);
    }
  }

  private void requirePartition(CommitEntry entry, TopicDescription topic) {
    TopicPartition partition = entry.partition();
    if (partition.partition() >= topic.partitions().size()) {
      throw WhenceException.of(
          ErrorReason.UNKNOWN_PARTITION,
          "topic '"
              + partition.topic()
              + "' has "
              + topic.partitions().size()
              + " partitions, no partition "
              + partition.partition(),
          "topic",
          partition.topic(),
          "partition",
          partition.partition());
    }
    if (!mayRead(topic)) {
      throw failures.ofTopic(
          new TopicAuthorizationException("commits need READ", Set.of(topic.name())), topic.name());
    }
    if (entry.writerEpoch() >= 0) {
      throw WhenceException.of(
          ErrorReason.UNSUPPORTED,
          "writer_epoch: a Kafka cluster keeps none with an offset, so nobody would be fenced;"
              + " leave it out, or guard the commit with expected_offset",
          "topic",
          partition.topic(),
          "partition",
          partition.partition());
    }
    if (!entry.allowOutOfRange() && hasNoLeader(topic, partition.partition())) {
      throw failures.ofPartition(
          new LeaderNotAvailableException("the partition has no leader"), partition);
    }
  }

  /** One entry without the right would spoil the transaction of all. */
  private static boolean mayRead(TopicDescription topic) {
    Set<AclOperation> allowed = topic.authorizedOperations();
    return allowed == null || allowed.isEmpty() || allowed.contains(AclOperation.READ);
  }

  /** Kafka's client looks for a leader without a pause where there is none: it isn't asked. */
  private static boolean hasNoLeader(TopicDescription topic, int partition) {
    Node leader = topic.partitions().get(partition).leader();
    return leader == null || leader.isEmpty();
  }

  /** Both ends of some partitions, asked for at once. Thread safety: single-writer. */
  private final class Bounds {
    private final Deadline deadline;
    private final ListOffsetsResult earliest;
    private final ListOffsetsResult latest;

    Bounds(List<TopicPartition> partitions, Deadline deadline) {
      this.deadline = deadline;
      earliest = ask(partitions, OffsetSpec.earliest());
      latest = ask(partitions, OffsetSpec.latest());
    }

    private ListOffsetsResult ask(List<TopicPartition> partitions, OffsetSpec spec) {
      Map<org.apache.kafka.common.TopicPartition, OffsetSpec> asked = new HashMap<>();
      partitions.forEach(partition -> asked.put(KafkaTypes.kafka(partition), spec));
      return admin
          .client()
          .listOffsets(asked, new ListOffsetsOptions().timeoutMs(deadline.remainingMs()));
    }

    EntryFacts added(EntryFacts facts) {
      try {
        LogBounds bounds = new LogBounds(end(earliest, facts), end(latest, facts));
        return new EntryFacts(facts.partition(), facts.id(), bounds, null);
      } catch (RuntimeException e) {
        return EntryFacts.refused(facts.partition(), failures.ofPartition(e, facts.partition()));
      }
    }

    private long end(ListOffsetsResult result, EntryFacts facts) {
      return AdminCalls.await(result.partitionResult(KafkaTypes.kafka(facts.partition())), deadline)
          .offset();
    }
  }
}
