package io.whence.server;

import static io.whence.server.GroupClient.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.whence.app.GrpcServerHandle;
import io.whence.v1.CommitOffsetRequest;
import io.whence.v1.DeleteGroupRequest;
import io.whence.v1.FetchOffsetRequest;
import io.whence.v1.GroupKind;
import io.whence.v1.GroupQuery;
import io.whence.v1.GroupSummary;
import io.whence.v1.ListGroupsRequest;
import io.whence.v1.OffsetResult;
import io.whence.v1.OffsetStatus;
import jakarta.inject.Inject;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The groups that a real broker left in its directory, over gRPC. */
@QuarkusTest
@TestProfile(ArchivesProfile.class)
class ArchivedGroupsTest {
  private static final String SOURCE = "consumer-offsets";

  @Inject GrpcServerHandle server;

  private Client client;

  @BeforeEach
  void connect() {
    client = new Client(server.port());
  }

  @AfterEach
  void disconnect() throws InterruptedException {
    client.close();
  }

  @Test
  void groupsOfABroker_listed() {
    assertThat(
            client
                .groups
                .listGroups(
                    ListGroupsRequest.newBuilder().setSource(SOURCE).setPrefix("classic").build())
                .getGroupsList())
        .extracting(GroupSummary::getGroup, GroupSummary::getKind)
        .contains(tuple("classic-members", GroupKind.GROUP_KIND_CLASSIC));
  }

  @Test
  void offsetOfABroker_shown() {
    OffsetResult fetched =
        client
            .groups
            .fetchOffset(
                FetchOffsetRequest.newBuilder()
                    .setSource(SOURCE)
                    .addQueries(GroupQuery.newBuilder().setGroup("billing"))
                    .build())
            .getResults(0)
            .getOffsets(0);
    assertThat(fetched.getTopic()).isEqualTo("t2");
    assertThat(fetched.getStatus()).isEqualTo(OffsetStatus.OFFSET_STATUS_CURRENT);
    assertThat(fetched.getCommitted().getNextOffset()).isEqualTo(83_617);
    assertThat(fetched.getCommitted().hasLeaderEpoch()).isFalse();
    assertThat(fetched.getCommitted().getCommitTimeMs()).isEqualTo(1_795_980_282_412L);
    assertThat(fetched.getCommitted().getTopicId()).isEqualTo("zMffLlW2RwmJB44WKO1uyg");
  }

  @Test
  void writing_refusedAsReadOnly() {
    CommitOffsetRequest commit =
        CommitOffsetRequest.newBuilder()
            .setSource(SOURCE)
            .setGroup("billing")
            .addEntries(entry("t2", 0, 1))
            .build();
    DeleteGroupRequest delete =
        DeleteGroupRequest.newBuilder().setSource(SOURCE).setGroup("billing").build();
    assertReadOnly(Client.failure(() -> client.groups.commitOffset(commit)));
    assertReadOnly(Client.failure(() -> client.groups.deleteGroup(delete)));
  }

  private static void assertReadOnly(StatusRuntimeException failure) {
    assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.FAILED_PRECONDITION);
    assertThat(Client.reason(failure)).isEqualTo("READ_ONLY_SOURCE");
  }
}
