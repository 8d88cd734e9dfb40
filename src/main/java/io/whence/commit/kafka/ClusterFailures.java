package io.whence.commit.kafka;

import io.whence.model.ErrorReason;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.source.kafka.KafkaText;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.FencedMemberEpochException;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import org.apache.kafka.common.errors.GroupSubscribedToTopicException;
import org.apache.kafka.common.errors.IllegalGenerationException;
import org.apache.kafka.common.errors.InvalidGroupIdException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.OffsetMetadataTooLarge;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.StaleMemberEpochException;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.apache.kafka.common.errors.UnknownTopicIdException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.errors.UnsupportedVersionException;

/**
 * What a client is told when the cluster refuses something, or is away. Thread safety: immutable.
 */
final class ClusterFailures {
  /** In order: the first that fits counts, so the narrow ones come first. */
  private static final Map<Class<? extends Throwable>, ErrorReason> REASONS = reasons();

  private final String source;

  ClusterFailures(String source) {
    this.source = source;
  }

  private static Map<Class<? extends Throwable>, ErrorReason> reasons() {
    Map<Class<? extends Throwable>, ErrorReason> reasons = new LinkedHashMap<>();
    reasons.put(AuthorizationException.class, ErrorReason.NOT_AUTHORIZED);
    reasons.put(AuthenticationException.class, ErrorReason.NOT_AUTHORIZED);
    // Kafka counts these as errors that pass, since a broker may not have heard of a new topic.
    reasons.put(UnknownTopicOrPartitionException.class, ErrorReason.UNKNOWN_PARTITION);
    reasons.put(UnknownTopicIdException.class, ErrorReason.UNKNOWN_TOPIC);
    reasons.put(InvalidTopicException.class, ErrorReason.UNKNOWN_TOPIC);
    reasons.put(OffsetMetadataTooLarge.class, ErrorReason.METADATA_TOO_LARGE);
    reasons.put(UnknownMemberIdException.class, ErrorReason.GROUP_ACTIVE);
    reasons.put(IllegalGenerationException.class, ErrorReason.GROUP_ACTIVE);
    reasons.put(StaleMemberEpochException.class, ErrorReason.GROUP_ACTIVE);
    reasons.put(FencedMemberEpochException.class, ErrorReason.GROUP_ACTIVE);
    reasons.put(FencedInstanceIdException.class, ErrorReason.GROUP_ACTIVE);
    reasons.put(RebalanceInProgressException.class, ErrorReason.GROUP_ACTIVE);
    reasons.put(CommitFailedException.class, ErrorReason.GROUP_ACTIVE);
    reasons.put(GroupNotEmptyException.class, ErrorReason.GROUP_ACTIVE);
    reasons.put(GroupSubscribedToTopicException.class, ErrorReason.GROUP_ACTIVE);
    reasons.put(GroupIdNotFoundException.class, ErrorReason.UNKNOWN_GROUP);
    reasons.put(InvalidGroupIdException.class, ErrorReason.INVALID_ARGUMENT);
    reasons.put(UnsupportedVersionException.class, ErrorReason.UNSUPPORTED);
    reasons.put(RetriableException.class, ErrorReason.LEADER_UNAVAILABLE);
    return reasons;
  }

  /** Returns why something failed. */
  static ErrorReason reasonOf(Throwable failure) {
    Throwable cause = causeOf(failure);
    if (cause instanceof WhenceException known) {
      return known.reason();
    }
    return REASONS.entrySet().stream()
        .filter(entry -> entry.getKey().isInstance(cause))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse(ErrorReason.INTERNAL);
  }

  /** Returns what was thrown where it happened. */
  static Throwable causeOf(Throwable failure) {
    Throwable cause = failure;
    while (isWrapper(cause) && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }

  /** Kafka's client has an exception that says nothing but what its cause says. */
  private static boolean isWrapper(Throwable failure) {
    return failure instanceof ExecutionException
        || failure instanceof CompletionException
        || failure.getClass() == KafkaException.class;
  }

  /** Returns the failure of a question about a group, or of a change of it. */
  WhenceException ofGroup(Throwable failure, String group) {
    return of(failure, "group '" + group + "'", "source", source, "group", group);
  }

  /** Returns the failure of a commit that may have been made all the same. */
  WhenceException untold(Throwable failure, String group) {
    return untold(failure, group, "the commit was made");
  }

  /** Returns the failure of a removal which nobody said whether it was made. */
  WhenceException untoldRemoval(Throwable failure, String group) {
    return untold(failure, group, "the removal was made");
  }

  private WhenceException untold(Throwable failure, String group, String what) {
    return WhenceException.of(
        ErrorReason.LEADER_UNAVAILABLE,
        "group '"
            + group
            + "': the cluster did not say whether "
            + what
            + "; read the offsets, or send"
            + " the request again ("
            + KafkaText.of(causeOf(failure))
            + ")",
        "source",
        source,
        "group",
        group,
        WhenceException.OUTCOME,
        WhenceException.UNKNOWN);
  }

  /** Returns the failure of a question about a topic. */
  WhenceException ofTopic(Throwable failure, String topic) {
    ErrorReason reason = reasonOf(failure);
    return reason == ErrorReason.UNKNOWN_PARTITION
        ? WhenceException.of(
            ErrorReason.UNKNOWN_TOPIC, "the cluster has no topic '" + topic + "'", "topic", topic)
        : of(failure, "topic '" + topic + "'", "source", source, "topic", topic);
  }

  /** Returns the failure of a question about a partition, or of a change of its offset. */
  WhenceException ofPartition(Throwable failure, TopicPartition partition) {
    return of(
        failure,
        "partition " + partition,
        "source",
        source,
        "topic",
        partition.topic(),
        "partition",
        partition.partition());
  }

  /** Returns the failure of a question about the cluster. */
  WhenceException ofCluster(Throwable failure) {
    return of(failure, "the cluster", "source", source);
  }

  private static WhenceException of(Throwable failure, String what, Object... facts) {
    Throwable cause = causeOf(failure);
    if (cause instanceof WhenceException known) {
      return known;
    }
    ErrorReason reason = reasonOf(cause);
    String message = what + ": " + advice(reason) + " (" + KafkaText.of(cause) + ")";
    return reason == ErrorReason.INTERNAL
        ? WhenceException.causedBy(cause, reason, message, facts)
        : WhenceException.of(reason, message, facts);
  }

  private static String advice(ErrorReason reason) {
    return switch (reason) {
      case LEADER_UNAVAILABLE -> "the broker that answers for it is away or slow; try again";
      case NOT_AUTHORIZED -> "the cluster does not let this server do it";
      case UNKNOWN_PARTITION, UNKNOWN_TOPIC -> "the cluster does not have it";
      case METADATA_TOO_LARGE -> "the metadata is larger than the cluster allows";
      case GROUP_ACTIVE -> "it has members, which would not notice";
      case UNKNOWN_GROUP -> "the cluster does not know it";
      case INVALID_ARGUMENT -> "the cluster does not take the name";
      case UNSUPPORTED -> "the brokers are too old for it";
      default -> "the cluster refused it";
    };
  }
}
