package io.whence.commit.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.whence.model.ErrorReason;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.CoordinatorLoadInProgressException;
import org.apache.kafka.common.errors.CoordinatorNotAvailableException;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import org.apache.kafka.common.errors.GroupSubscribedToTopicException;
import org.apache.kafka.common.errors.InvalidGroupIdException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.LeaderNotAvailableException;
import org.apache.kafka.common.errors.NotCoordinatorException;
import org.apache.kafka.common.errors.OffsetMetadataTooLarge;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.apache.kafka.common.errors.UnknownServerException;
import org.apache.kafka.common.errors.UnknownTopicIdException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ClusterFailuresTest {
  private final ClusterFailures failures = new ClusterFailures("prod");

  static List<Arguments> reasons() {
    return List.of(
        arguments(new TimeoutException("t"), ErrorReason.LEADER_UNAVAILABLE),
        arguments(new CoordinatorNotAvailableException("c"), ErrorReason.LEADER_UNAVAILABLE),
        arguments(new CoordinatorLoadInProgressException("c"), ErrorReason.LEADER_UNAVAILABLE),
        arguments(new NotCoordinatorException("n"), ErrorReason.LEADER_UNAVAILABLE),
        arguments(new LeaderNotAvailableException("l"), ErrorReason.LEADER_UNAVAILABLE),
        arguments(new DisconnectException("d"), ErrorReason.LEADER_UNAVAILABLE),
        arguments(GroupAuthorizationException.forGroupId("g"), ErrorReason.NOT_AUTHORIZED),
        arguments(new TopicAuthorizationException("t"), ErrorReason.NOT_AUTHORIZED),
        arguments(new SaslAuthenticationException("s"), ErrorReason.NOT_AUTHORIZED),
        arguments(new UnknownTopicOrPartitionException("u"), ErrorReason.UNKNOWN_PARTITION),
        arguments(new UnknownTopicIdException("u"), ErrorReason.UNKNOWN_TOPIC),
        arguments(new InvalidTopicException("i"), ErrorReason.UNKNOWN_TOPIC),
        arguments(new OffsetMetadataTooLarge("o"), ErrorReason.METADATA_TOO_LARGE),
        arguments(new UnknownMemberIdException("u"), ErrorReason.GROUP_ACTIVE),
        arguments(new RebalanceInProgressException("r"), ErrorReason.GROUP_ACTIVE),
        arguments(new CommitFailedException("c"), ErrorReason.GROUP_ACTIVE),
        arguments(new GroupNotEmptyException("g"), ErrorReason.GROUP_ACTIVE),
        arguments(new GroupSubscribedToTopicException("g"), ErrorReason.GROUP_ACTIVE),
        arguments(new GroupIdNotFoundException("g"), ErrorReason.UNKNOWN_GROUP),
        arguments(new InvalidGroupIdException("g"), ErrorReason.INVALID_ARGUMENT),
        arguments(new UnsupportedVersionException("u"), ErrorReason.UNSUPPORTED),
        arguments(new UnknownServerException("u"), ErrorReason.INTERNAL),
        arguments(
            new KafkaException("nobody", new TimeoutException("k")),
            ErrorReason.LEADER_UNAVAILABLE),
        arguments(new KafkaException("k"), ErrorReason.INTERNAL),
        arguments(new IllegalStateException("i"), ErrorReason.INTERNAL));
  }

  @ParameterizedTest
  @MethodSource("reasons")
  void failure_hasItsReasonHoweverItIsWrapped(RuntimeException failure, ErrorReason reason) {
    assertThat(ClusterFailures.reasonOf(failure)).isEqualTo(reason);
    assertThat(ClusterFailures.reasonOf(new ExecutionException(failure))).isEqualTo(reason);
    assertThat(ClusterFailures.reasonOf(new CompletionException(new CompletionException(failure))))
        .isEqualTo(reason);
    WhenceException told = failures.ofGroup(new ExecutionException(failure), "g");
    assertThat(told.reason()).isEqualTo(reason);
    assertThat(told)
        .hasMessageContaining("group 'g'")
        .hasMessageContaining(ClusterFailures.causeOf(failure).getMessage());
    assertThat(told.metadata()).containsEntry("source", "prod").containsEntry("group", "g");
  }

  @Test
  void unknownTopic_isNamed() {
    WhenceException told = failures.ofTopic(new UnknownTopicOrPartitionException("u"), "orders");
    assertThat(told.reason()).isEqualTo(ErrorReason.UNKNOWN_TOPIC);
    assertThat(told.metadata()).containsEntry("topic", "orders");
  }

  @Test
  void partition_isNamed() {
    WhenceException told =
        failures.ofPartition(
            new UnknownTopicOrPartitionException("u"), new TopicPartition("orders", 3));
    assertThat(told.reason()).isEqualTo(ErrorReason.UNKNOWN_PARTITION);
    assertThat(told.metadata()).containsEntry("topic", "orders").containsEntry("partition", "3");
  }

  @Test
  void ownFailure_staysAsItIs() {
    WhenceException own = WhenceException.of(ErrorReason.CONFLICT, "c");
    assertThat(failures.ofGroup(new CompletionException(own), "g")).isSameAs(own);
    assertThat(failures.ofCluster(own)).isSameAs(own);
  }

  @Test
  void unexplainedFailure_keepsItsCauseForTheLog() {
    IllegalStateException cause = new IllegalStateException("odd");
    assertThat(failures.ofCluster(cause)).hasCause(cause);
    assertThat(failures.ofCluster(new TimeoutException("t"))).hasNoCause();
  }
}
