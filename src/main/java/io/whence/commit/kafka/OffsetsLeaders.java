package io.whence.commit.kafka;

import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import io.whence.source.kafka.RenewedAdmin;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Tells whether all groups of a cluster can be told. Brokers list the groups of which they lead the
 * partition of {@code __consumer_offsets}: one without leader is on no list. Thread safety:
 * thread-safe.
 */
final class OffsetsLeaders {
  private final RenewedAdmin admin;
  private final ClusterFailures failures;
  private final String source;

  OffsetsLeaders(RenewedAdmin admin, ClusterFailures failures, String source) {
    this.admin = admin;
    this.failures = failures;
    this.source = source;
  }

  /** A question that is under way. */
  final class Question {
    private final KafkaFuture<TopicDescription> answer;
    private final Deadline deadline;

    private Question(KafkaFuture<TopicDescription> answer, Deadline deadline) {
      this.answer = answer;
      this.deadline = deadline;
    }

    /**
     * Returns why some groups are on no list; empty if all are, or if this server may not see the
     * topic.
     */
    Optional<WhenceException> failure() {
      try {
        return missing(AdminCalls.await(answer, deadline));
      } catch (UnknownTopicOrPartitionException | AuthorizationException e) {
        return Optional.empty(); // Nobody has committed anything yet; or it can't be told.
      } catch (RuntimeException e) {
        return Optional.of(failures.ofCluster(e));
      }
    }
  }

  /** Asks which partitions have a leader now. */
  Question ask(Deadline deadline) {
    var options = new DescribeTopicsOptions().timeoutMs(deadline.remainingMs());
    return new Question(
        Objects.requireNonNull(
            admin
                .client()
                .describeTopics(List.of(OffsetsHistory.TOPIC), options)
                .topicNameValues()
                .get(OffsetsHistory.TOPIC),
            "what was asked for"),
        deadline);
  }

  private Optional<WhenceException> missing(TopicDescription topic) {
    long count =
        topic.partitions().stream()
            .filter(partition -> partition.leader() == null || partition.leader().isEmpty())
            .count();
    if (count == 0) {
      return Optional.empty();
    }
    return Optional.of(
        WhenceException.of(
            ErrorReason.LEADER_UNAVAILABLE,
            count
                + " of "
                + topic.partitions().size()
                + " partitions of "
                + OffsetsHistory.TOPIC
                + " have no leader now, so nobody tells the groups that are kept there; try again",
            "source",
            source));
  }
}
