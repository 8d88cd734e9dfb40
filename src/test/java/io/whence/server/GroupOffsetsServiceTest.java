package io.whence.server;

import static io.whence.server.GroupClient.entry;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.whence.app.GrpcServerHandle;
import io.whence.v1.DeleteGroupRequest;
import io.whence.v1.DeleteOffsetRequest;
import io.whence.v1.DeleteOffsetResult;
import io.whence.v1.ErrorReason;
import io.whence.v1.FetchOffsetRequest;
import io.whence.v1.GroupKind;
import io.whence.v1.GroupOffsetsResult;
import io.whence.v1.GroupQuery;
import io.whence.v1.GroupSummary;
import io.whence.v1.ListGroupsRequest;
import io.whence.v1.ListGroupsResponse;
import io.whence.v1.OffsetResult;
import io.whence.v1.OffsetStatus;
import io.whence.v1.TopicPartitions;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Looking at committed offsets and removing them, over gRPC. */
@QuarkusTest
@TestProfile(ServerTestProfile.class)
class GroupOffsetsServiceTest {
  private static final long T = ServerTestProfile.NOW_MS;
  private static int topics;

  @Inject GrpcServerHandle server;

  private Client client;
  private String topic;
  private String name;
  private GroupClient group;

  @BeforeEach
  void makeTopic() {
    client = new Client(server.port());
    topic = "groups-" + topics++;
    name = "of-" + topic;
    client.topic(topic, 3, T, T + 1, T + 2);
    group = new GroupClient(client, name);
  }

  @AfterEach
  void close() throws InterruptedException {
    client.close();
  }

  @Test
  void fetch_givesWhatWasCommitted() {
    group.commit(entry(topic, 0, 2).setLeaderEpoch(0).setMetadata("m").setWriterEpoch(5));
    OffsetResult fetched = group.fetch().getOffsets(0);
    assertThat(fetched.getTopic()).isEqualTo(topic);
    assertThat(fetched.getStatus()).isEqualTo(OffsetStatus.OFFSET_STATUS_CURRENT);
    assertThat(fetched.getCommitted().getNextOffset()).isEqualTo(2);
    assertThat(fetched.getCommitted().hasLeaderEpoch()).isTrue();
    assertThat(fetched.getCommitted().getMetadata()).isEqualTo("m");
    assertThat(fetched.getCommitted().getWriterEpoch()).isEqualTo(5);
    assertThat(fetched.getCommitted().getCommitTimeMs()).isEqualTo(T);
    assertThat(fetched.getCommitted().getTopicId()).hasSize(22);
    assertThat(fetched.getHistoryCount()).isZero();
  }

  @Test
  void fetchListed_inTheOrderOfTheRequest() {
    group.commit(group.request(entry(topic, 0, 1), entry(topic, 2, 0)));
    GroupOffsetsResult result = group.fetch(query(topics(topic, 2, 9, 0, 1), topics("gone", 4)), 0);
    assertThat(result.getOffsetsList())
        .extracting(offset -> offset.getPartition() + " " + offset.getStatus())
        .containsExactly(
            "2 OFFSET_STATUS_CURRENT",
            "9 OFFSET_STATUS_UNKNOWN_PARTITION",
            "0 OFFSET_STATUS_CURRENT",
            "1 OFFSET_STATUS_NO_OFFSET",
            "4 OFFSET_STATUS_UNKNOWN_TOPIC");
  }

  @Test
  void fetchAllOfTopic_alsoThoseWithoutOffset() {
    group.commit(entry(topic, 1, 0));
    GroupOffsetsResult result = group.fetch(query(topics(topic), topics("gone")), 0);
    assertThat(result.getOffsetsList())
        .extracting(offset -> offset.getPartition() + " " + offset.getStatus())
        .containsExactly(
            "0 OFFSET_STATUS_NO_OFFSET",
            "1 OFFSET_STATUS_CURRENT",
            "2 OFFSET_STATUS_NO_OFFSET",
            "0 OFFSET_STATUS_UNKNOWN_TOPIC");
  }

  @Test
  void fetchFault_failsItsPartitionOnly() {
    group.commit(entry(topic, 0, 1));
    GroupOffsetsResult result =
        group.fetch(query(topics(FakeSource.EXPLODING, 0), topics(topic, 0)), 0);
    assertThat(result.getOffsets(0).getStatus()).isEqualTo(OffsetStatus.OFFSET_STATUS_FAILED);
    assertThat(result.getOffsets(0).getError().getReason())
        .isEqualTo(ErrorReason.ERROR_REASON_INTERNAL);
    assertThat(result.getOffsets(0).getError().getMessage()).doesNotContain("secret");
    assertThat(result.getOffsets(1).getStatus()).isEqualTo(OffsetStatus.OFFSET_STATUS_CURRENT);
  }

  @Test
  void fetchHistory_asMuchAsAskedFor() {
    for (int offset = 0; offset < 4; offset++) {
      group.commit(entry(topic, 0, Math.min(offset, 3)));
    }
    OffsetResult fetched = group.fetch(query(topics(topic, 0)), 2).getOffsets(0);
    assertThat(fetched.getHistoryList())
        .extracting(change -> change.getOffsetBefore() + " to " + change.getOffsetAfter())
        .containsExactly("2 to 3", "1 to 2");
  }

  @Test
  void badFetches_refusedByField() {
    assertRefused(FetchOffsetRequest.getDefaultInstance(), "queries: ");
    assertRefused(fetch(GroupQuery.newBuilder()), "queries[0].group: ");
    assertRefused(
        fetch(query(topics(topic, 0, -1))), "queries[0].topics[0].partitions[1]: -1 is negative");
    assertRefused(fetch(query(topics("", 0))), "queries[0].topics[0].topic: ");
    assertRefused(
        fetch(query()).toBuilder().setHistory(101).build(), "history: 101 is not between 0 and");
    assertRefused(
        fetch(query(topics(topic, new int[20_001]))),
        "queries[0].topics[0]: 20001 partitions; a call may have 20000");
    assertRefused(
        fetch(query(topics(topic, new int[2_000]))).toBuilder().setHistory(100).build(),
        "history: 200000 changes of offsets; a call may have 2000");
  }

  private void assertRefused(FetchOffsetRequest request, String start) {
    StatusRuntimeException failure = Client.failure(() -> client.groups.fetchOffset(request));
    assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(failure.getStatus().getDescription()).startsWith(start);
  }

  @Test
  void list_summarisesGroups() {
    String other = "other-" + topic;
    client.topic(other, 1);
    group.commit(group.request(entry(topic, 0, 1), entry(topic, 1, 0), entry(other, 0, 0)));
    ListGroupsResponse response = list(name, 10, "");
    assertThat(response.getSource()).isEqualTo("embedded");
    assertThat(response.getGroupsList())
        .containsExactly(
            GroupSummary.newBuilder()
                .setGroup(name)
                .setKind(GroupKind.GROUP_KIND_SIMPLE)
                .setOffsetCount(3)
                .addTopics(topic)
                .addTopics(other)
                .setLastCommitTimeMs(T)
                .setFirstExpiresAtMs(T + Duration.ofDays(7).toMillis())
                .build());
  }

  @Test
  void listPages_goOnWhereTheLastOneEnded() {
    for (String suffix : List.of("-c", "-a", "-b")) {
      new GroupClient(client, name + suffix).commit(entry(topic, 0, 1));
    }
    ListGroupsResponse first = list(name + "-", 2, "");
    ListGroupsResponse second = list(name + "-", 2, first.getNextPageToken());
    assertThat(first.getGroupsList())
        .extracting(GroupSummary::getGroup)
        .containsExactly(name + "-a", name + "-b");
    assertThat(second.getGroupsList())
        .extracting(GroupSummary::getGroup)
        .containsExactly(name + "-c");
    assertThat(second.getNextPageToken()).isEmpty();
    StatusRuntimeException failure =
        Client.failure(() -> list("another-prefix", 2, first.getNextPageToken()));
    assertThat(failure.getStatus().getDescription()).startsWith("page_token: ");
  }

  private ListGroupsResponse list(String prefix, int pageSize, String token) {
    return client.groups.listGroups(
        ListGroupsRequest.newBuilder()
            .setPrefix(prefix)
            .setPageSize(pageSize)
            .setPageToken(token)
            .build());
  }

  @Test
  void deleteOffset_tellsWhatWasThere() {
    group.commit(group.request(entry(topic, 0, 1), entry(topic, 1, 0), entry(topic, 2, 0)));
    DeleteOffsetRequest.Builder request = DeleteOffsetRequest.newBuilder().setGroup(name);
    List<DeleteOffsetResult> listed =
        client
            .groups
            .deleteOffset(
                request.addTopics(topics(topic, 1, 0, 1)).addTopics(topics("gone", 3)).build())
            .getResultsList();
    assertThat(listed)
        .extracting(
            result ->
                result.getPartition()
                    + (result.hasOffsetBefore() ? " was " + result.getOffsetBefore() : ""))
        .containsExactly("1 was 0", "0 was 1", "3");
    List<DeleteOffsetResult> all =
        client
            .groups
            .deleteOffset(request.clearTopics().addTopics(topics(topic)).build())
            .getResultsList();
    assertThat(all).extracting(DeleteOffsetResult::getPartition).containsExactly(2);
    assertThat(group.fetch().getExists()).isFalse();
  }

  @Test
  void deleteOffset_ofUnknownGroup_findsNothing() {
    assertThat(
            client
                .groups
                .deleteOffset(
                    DeleteOffsetRequest.newBuilder()
                        .setGroup("nobody")
                        .addTopics(topics(topic))
                        .build())
                .getResultsCount())
        .isZero();
  }

  @Test
  void deleteGroup_removesAllOnce() {
    group.commit(group.request(entry(topic, 0, 1), entry(topic, 1, 0)));
    DeleteGroupRequest request = DeleteGroupRequest.newBuilder().setGroup(name).build();
    assertThat(client.groups.deleteGroup(request).getDeletedOffsetCount()).isEqualTo(2);
    assertThat(group.fetch().getExists()).isFalse();
    StatusRuntimeException again = Client.failure(() -> client.groups.deleteGroup(request));
    assertThat(again.getStatus().getCode()).isEqualTo(Status.Code.NOT_FOUND);
    assertThat(Client.reason(again)).isEqualTo("UNKNOWN_GROUP");
  }

  @Test
  void badDeletions_refusedByField() {
    assertThat(
            Client.failure(() -> client.groups.deleteGroup(DeleteGroupRequest.getDefaultInstance()))
                .getStatus()
                .getDescription())
        .startsWith("group: ");
    assertThat(
            Client.failure(
                    () ->
                        client.groups.deleteOffset(
                            DeleteOffsetRequest.newBuilder().setGroup(name).build()))
                .getStatus()
                .getDescription())
        .startsWith("topics: ");
  }

  private GroupQuery.Builder query(TopicPartitions... topics) {
    return GroupQuery.newBuilder().setGroup(name).addAllTopics(List.of(topics));
  }

  private static FetchOffsetRequest fetch(GroupQuery.Builder query) {
    return FetchOffsetRequest.newBuilder().addQueries(query).build();
  }

  private static TopicPartitions topics(String topic, int... partitions) {
    TopicPartitions.Builder topics = TopicPartitions.newBuilder().setTopic(topic);
    for (int partition : partitions) {
      topics.addPartitions(partition);
    }
    return topics.build();
  }
}
