package io.whence.source.kafka.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.model.ErrorReason;
import io.whence.source.kafka.fetch.LaneMetadata.Leader;
import io.whence.source.kafka.fetch.LaneMetadata.Missing;
import io.whence.source.kafka.fetch.LaneMetadata.Unknown;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.Metadata.LeaderIdAndEpoch;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchResponseData.NodeEndpoint;
import org.apache.kafka.common.message.FetchResponseData.NodeEndpointCollection;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBrokerCollection;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopicCollection;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.MetadataResponse;
import org.apache.kafka.common.utils.internals.LogContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LaneMetadataTest {
  private static final TopicPartition T0 = new TopicPartition("t", 0);
  private static final Uuid ID = new Uuid(1, 2);

  private final LaneMetadata metadata =
      new LaneMetadata(100, 1_000, 30_000, new LogContext(), () -> {});

  private void answer(MetadataResponseTopic... topics) {
    MetadataResponseBrokerCollection brokers = new MetadataResponseBrokerCollection();
    brokers.add(new MetadataResponseBroker().setNodeId(1).setHost("one").setPort(9001));
    brokers.add(new MetadataResponseBroker().setNodeId(2).setHost("two").setPort(9002));
    MetadataResponseTopicCollection all = new MetadataResponseTopicCollection();
    for (MetadataResponseTopic topic : topics) {
      all.add(topic);
    }
    MetadataResponseData data =
        new MetadataResponseData().setClusterId("c").setBrokers(brokers).setTopics(all);
    short version = ApiKeys.METADATA.latestVersion();
    metadata.follow(List.of("t"));
    metadata.updateWithCurrentRequestVersion(new MetadataResponse(data, version), false, 1);
  }

  private static MetadataResponseTopic topic(Errors error, Uuid id, int leader, int epoch) {
    MetadataResponsePartition partition =
        new MetadataResponsePartition()
            .setErrorCode((leader < 0 ? Errors.LEADER_NOT_AVAILABLE : Errors.NONE).code())
            .setPartitionIndex(0)
            .setLeaderId(leader)
            .setLeaderEpoch(epoch)
            .setReplicaNodes(List.of(1, 2))
            .setIsrNodes(List.of(1))
            .setOfflineReplicas(List.of());
    return new MetadataResponseTopic()
        .setName("t")
        .setTopicId(id)
        .setErrorCode(error.code())
        .setPartitions(error == Errors.NONE ? List.of(partition) : List.of());
  }

  @Test
  void beforeAnAnswer_nothingIsKnown() {
    assertThat(metadata.place(T0, ID)).isInstanceOf(Unknown.class);

    answer();

    assertThat(metadata.place(T0, ID)).isInstanceOf(Unknown.class);
  }

  @Test
  void leader_isFound() {
    answer(topic(Errors.NONE, ID, 2, 7));

    assertThat(metadata.place(T0, ID))
        .isInstanceOfSatisfying(
            Leader.class,
            leader -> {
              assertThat(leader.node().port()).isEqualTo(9002);
              assertThat(leader.epoch()).contains(7);
            });
  }

  @Test
  void leaderless_otherIdAndUnknownPartition_areFaults() {
    answer(topic(Errors.NONE, ID, -1, 7));

    assertThat(fault(T0, ID).reason()).isEqualTo(ErrorReason.LEADER_UNAVAILABLE);
    assertThat(fault(T0, new Uuid(1, 3)).reason()).isEqualTo(ErrorReason.STALE_TOPIC);
    assertThat(fault(new TopicPartition("t", 1), ID).reason())
        .isEqualTo(ErrorReason.UNKNOWN_PARTITION);
  }

  @ParameterizedTest
  @CsvSource({
    "UNKNOWN_TOPIC_OR_PARTITION,LEADER_UNAVAILABLE",
    "TOPIC_AUTHORIZATION_FAILED,NOT_AUTHORIZED",
    "LEADER_NOT_AVAILABLE,LEADER_UNAVAILABLE"
  })
  void errorOfTheTopic_isAFault(Errors error, ErrorReason reason) {
    answer(topic(error, Uuid.ZERO_UUID, -1, -1));

    assertThat(fault(T0, ID).reason()).isEqualTo(reason);
  }

  @Test
  void newerLeader_isTakenFromABroker_andOlderIsNot() {
    answer(topic(Errors.NONE, ID, 1, 7));
    NodeEndpointCollection addresses = new NodeEndpointCollection();
    addresses.add(new NodeEndpoint().setNodeId(5).setHost("five").setPort(9005));
    long version = metadata.version();

    metadata.take(Map.of(T0, leader(5, 8)), addresses);
    assertThat(metadata.version()).isGreaterThan(version);
    assertThat(metadata.place(T0, ID))
        .isEqualTo(new Leader(new Node(5, "five", 9005), Optional.of(8)));

    metadata.take(Map.of(T0, leader(2, 7)), new NodeEndpointCollection());
    assertThat(metadata.place(T0, ID))
        .isEqualTo(new Leader(new Node(5, "five", 9005), Optional.of(8)));
    assertThat(metadata.updateRequested()).isTrue();
  }

  private static LeaderIdAndEpoch leader(int id, int epoch) {
    return new LeaderIdAndEpoch(Optional.of(id), Optional.of(epoch));
  }

  private FetchFault fault(TopicPartition partition, Uuid id) {
    return ((Missing) metadata.place(partition, id)).fault();
  }
}
