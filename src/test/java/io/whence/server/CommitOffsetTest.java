package io.whence.server;

import static io.whence.server.GroupClient.entry;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.rpc.ErrorInfo;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.whence.app.GrpcServerHandle;
import io.whence.v1.CommitOffsetRequest;
import io.whence.v1.CommitOffsetResponse;
import io.whence.v1.CommitOutcome;
import io.whence.v1.CommitResult;
import io.whence.v1.ErrorReason;
import io.whence.v1.OffsetResult;
import jakarta.inject.Inject;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Batches of commits over gRPC. */
@QuarkusTest
@TestProfile(ServerTestProfile.class)
class CommitOffsetTest {
  private static final long T = ServerTestProfile.NOW_MS;
  private static int topics;

  @Inject GrpcServerHandle server;

  private Client client;
  private String topic;
  private GroupClient group;

  @BeforeEach
  void makeTopic() {
    client = new Client(server.port());
    topic = "commits-" + topics++;
    client.topic(topic, 3, LongStream.range(0, 10).map(i -> T + i).toArray());
    group = new GroupClient(client, "of-" + topic);
  }

  @AfterEach
  void close() throws InterruptedException {
    client.close();
  }

  @Test
  void batch_isPartialUnlessAtomic() {
    CommitOffsetResponse response =
        group.commit(
            group.request(
                entry(topic, 0, 4),
                entry(topic, 1, 99),
                entry("nowhere", 0, 0),
                entry(topic, 9, 0)));
    assertThat(response.getSource()).isEqualTo("embedded");
    assertThat(response.getServerTimeMs()).isEqualTo(T);
    assertThat(response.getResultsList())
        .extracting(result -> result.getError().getReason())
        .containsExactly(
            ErrorReason.ERROR_REASON_UNSPECIFIED,
            ErrorReason.ERROR_REASON_OFFSET_OUT_OF_RANGE,
            ErrorReason.ERROR_REASON_UNKNOWN_TOPIC,
            ErrorReason.ERROR_REASON_UNKNOWN_PARTITION);
    assertThat(group.fetch().getOffsetsList())
        .extracting(OffsetResult::getPartition)
        .containsExactly(0);
  }

  @Test
  void atomicBatch_isMadeWholeOrNotAtAll() {
    CommitOffsetRequest.Builder request =
        group.request(entry(topic, 0, 4), entry(topic, 1, 99)).setAtomic(true);
    assertThat(group.commit(request).getResultsList())
        .extracting(CommitResult::getOutcome)
        .containsExactly(
            CommitOutcome.COMMIT_OUTCOME_NOT_APPLIED, CommitOutcome.COMMIT_OUTCOME_FAILED);
    assertThat(group.fetch().getExists()).isFalse();
    request.getEntriesBuilder(1).setNextOffset(0);
    assertThat(group.commit(request).getResultsList())
        .extracting(CommitResult::getOutcome)
        .containsOnly(CommitOutcome.COMMIT_OUTCOME_COMMITTED);
    assertThat(group.fetch().getOffsetsCount()).isEqualTo(2);
  }

  @Test
  void atomicOverGroups_refused() {
    assertRefused(
        group
            .request(entry(topic, 0, 4), entry(topic, 0, 4).setGroup("other"))
            .setAtomic(true)
            .build(),
        "atomic: the entries are of 2 groups; make one call for each group");
  }

  @Test
  void dryRun_tellsAndChangesNothing() {
    CommitOffsetRequest.Builder request =
        group.request(entry(topic, 0, 4)).setDryRun(true).setRequestId("dry");
    CommitResult result = group.commit(request).getResults(0);
    assertThat(result.getOutcome()).isEqualTo(CommitOutcome.COMMIT_OUTCOME_COMMITTED);
    assertThat(result.hasOffsetBefore()).isFalse();
    assertThat(result.getOffsetNow()).isEqualTo(4);
    assertThat(group.fetch().getExists()).isFalse();
    assertThat(group.commit(request.setDryRun(false)).getReplayed()).isFalse();
  }

  @Test
  void sameAgain_unchanged() {
    group.commit(entry(topic, 0, 4).setMetadata("m"));
    CommitResult again = group.commit(entry(topic, 0, 4).setMetadata("m"));
    assertThat(again.getOutcome()).isEqualTo(CommitOutcome.COMMIT_OUTCOME_UNCHANGED);
    assertThat(again.getOffsetBefore()).isEqualTo(4);
    assertThat(again.getOffsetNow()).isEqualTo(4);
    assertThat(group.fetch(topic, 0).getHistoryCount()).isEqualTo(1);
  }

  @Test
  void requestSentAgain_firstResultOnce() {
    CommitOffsetRequest.Builder request = group.request(entry(topic, 0, 4)).setRequestId("r-1");
    CommitOffsetResponse first = group.commit(request);
    group.commit(entry(topic, 0, 7));
    CommitOffsetResponse second = group.commit(request);
    assertThat(first.getReplayed()).isFalse();
    assertThat(second.getReplayed()).isTrue();
    assertThat(second.getResultsList()).isEqualTo(first.getResultsList());
    assertThat(group.fetch(topic, 0).getCommitted().getNextOffset()).isEqualTo(7);
  }

  @Test
  void requestSentAgain_byAnotherConnection() throws InterruptedException {
    CommitOffsetRequest request =
        group.request(entry(topic, 0, 4)).setRequestId("from-anywhere").build();
    CommitOffsetResponse first = client.groups.commitOffset(request);
    try (Client other = new Client(server.port())) {
      CommitOffsetResponse second = other.groups.commitOffset(request);
      assertThat(second.getReplayed()).isTrue();
      assertThat(second.getResultsList()).isEqualTo(first.getResultsList());
    }
  }

  @Test
  void requestIdOfAnotherRequest_refused() {
    group.commit(group.request(entry(topic, 0, 4)).setRequestId("mine"));
    StatusRuntimeException failure =
        Client.failure(() -> group.commit(group.request(entry(topic, 0, 5)).setRequestId("mine")));
    assertThat(Client.reason(failure)).isEqualTo("REQUEST_ID_REUSED");
    assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(Client.detail(failure, ErrorInfo.class).getMetadataMap())
        .containsEntry("group", "of-" + topic)
        .containsEntry("request_id", "mine");
  }

  @Test
  void requestIdReusedInOneGroup_othersGoOn() {
    group.commit(group.request(entry(topic, 0, 4)).setRequestId("shared"));
    String other = "other-of-" + topic;
    CommitOffsetResponse response =
        group.commit(
            group
                .request(entry(topic, 0, 5), entry(topic, 1, 0).setGroup(other))
                .setRequestId("shared"));
    assertThat(response.getResults(0).getError().getReason())
        .isEqualTo(ErrorReason.ERROR_REASON_REQUEST_ID_REUSED);
    assertThat(response.getResults(0).getOffsetNow()).isEqualTo(4);
    assertThat(response.getResults(1).getOutcome())
        .isEqualTo(CommitOutcome.COMMIT_OUTCOME_COMMITTED);
    assertThat(response.getResults(1).getGroup()).isEqualTo(other);
  }

  @Test
  void severalGroups_resultsInTheOrderOfTheRequest() {
    String other = "other-of-" + topic;
    CommitOffsetResponse response =
        group.commit(
            group.request(
                entry(topic, 1, 0),
                entry(topic, 0, 1).setGroup(other),
                entry(topic, 0, 2),
                entry(topic, 1, 0).setGroup(other)));
    assertThat(response.getResultsList())
        .extracting(r -> r.getGroup() + "/" + r.getPartition() + "=" + r.getOffsetNow())
        .containsExactly(
            "of-" + topic + "/1=0", other + "/0=1", "of-" + topic + "/0=2", other + "/1=0");
    assertThat(new GroupClient(client, other).fetch().getOffsetsCount()).isEqualTo(2);
  }

  @Test
  void thousandPartitions_inOneCall() {
    String wide = "wide-" + topic;
    client.topic(wide, 1000);
    CommitOffsetRequest.Builder request = group.request();
    IntStream.range(0, 1000).forEach(i -> request.addEntries(entry(wide, 999 - i, 0)));
    List<CommitResult> results = group.commit(request).getResultsList();
    assertThat(results)
        .extracting(CommitResult::getOutcome)
        .containsOnly(CommitOutcome.COMMIT_OUTCOME_COMMITTED);
    assertThat(results)
        .extracting(CommitResult::getPartition)
        .containsExactlyElementsOf(IntStream.range(0, 1000).mapToObj(i -> 999 - i).toList());
    assertThat(group.fetch().getOffsetsList())
        .extracting(OffsetResult::getPartition)
        .containsExactlyElementsOf(IntStream.range(0, 1000).boxed().toList());
  }

  @Test
  void writerEpoch_fencesOlderWriters() {
    group.commit(entry(topic, 0, 1).setWriterEpoch(2));
    assertFailed(group.commit(entry(topic, 0, 2).setWriterEpoch(1)), "FENCED");
    assertFailed(group.commit(entry(topic, 0, 2)), "FENCED");
    assertThat(group.commit(entry(topic, 0, 2).setWriterEpoch(3)).getOutcome())
        .isEqualTo(CommitOutcome.COMMIT_OUTCOME_COMMITTED);
    assertThat(group.fetch(topic, 0).getCommitted().getWriterEpoch()).isEqualTo(3);
  }

  @Test
  void badRequest_refusedWhole() {
    assertRefused(
        group.request(entry(topic, 0, 4), entry(topic, 1, -1)).build(),
        "entries[1].next_offset: -1 is negative");
    assertThat(group.fetch().getExists()).isFalse();
  }

  private void assertRefused(CommitOffsetRequest request, String start) {
    StatusRuntimeException failure = Client.failure(() -> client.groups.commitOffset(request));
    assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(failure.getStatus().getDescription()).startsWith(start);
  }

  static void assertFailed(CommitResult result, String reason) {
    assertThat(result.getOutcome()).isEqualTo(CommitOutcome.COMMIT_OUTCOME_FAILED);
    assertThat(result.getError().getReason().name()).isEqualTo("ERROR_REASON_" + reason);
  }
}
