package io.whence.server;

import static io.whence.server.CommitOffsetTest.assertFailed;
import static io.whence.server.GroupClient.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import com.google.protobuf.util.JsonFormat;
import io.grpc.StatusRuntimeException;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.whence.app.GrpcServerHandle;
import io.whence.v1.ChangeCause;
import io.whence.v1.CommitOffsetRequest;
import io.whence.v1.CommitOutcome;
import io.whence.v1.CommitResult;
import io.whence.v1.DeleteTopicRequest;
import io.whence.v1.DescribeTopicRequest;
import io.whence.v1.OffsetChange;
import io.whence.v1.OffsetResult;
import io.whence.v1.OffsetStatus;
import io.whence.v1.TrimEntry;
import io.whence.v1.TrimLogRequest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What went wrong with commits elsewhere, by the public reports about it. */
@QuarkusTest
@TestProfile(ServerTestProfile.class)
class GroupReportsTest {
  private static final long T = ServerTestProfile.NOW_MS;
  private static final long RECORDS = 600;
  private static int topics;

  @Inject GrpcServerHandle server;
  @Inject FakePlan plan;
  @Inject MeterRegistry registry;

  private Client client;
  private String topic;
  private GroupClient group;

  @BeforeEach
  void makeTopic() {
    client = new Client(server.port());
    topic = "reports-" + topics++;
    client.topic(topic, 2, times(RECORDS));
    group = new GroupClient(client, "of-" + topic);
  }

  @AfterEach
  void close() throws InterruptedException {
    client.close();
  }

  /** Spring Kafka 3186: a commit that was retried after a newer one moved the group back. */
  @Test
  void lateRetryOfAnOlderCommit_refused() {
    CommitOffsetRequest.Builder late = group.request(entry(topic, 0, 100)).setRequestId("late");
    group.commit(group.request(entry(topic, 0, 120)).setRequestId("newer"));
    CommitResult retry = group.commit(late).getResults(0);
    assertFailed(retry, "REGRESSION");
    assertThat(retry.getOffsetNow()).isEqualTo(120);
    CommitResult meant = group.commit(entry(topic, 0, 100).setAllowRewind(true));
    assertThat(meant.getOffsetNow()).isEqualTo(100);
  }

  /** librdkafka 2782: nobody could tell who had committed a much older offset. */
  @Test
  void everyChange_isInTheHistoryWithItsWriter() {
    group.commit(group.request(entry(topic, 0, 500)).setWriter("app-1").setRequestId("a"));
    group.commit(group.request(entry(topic, 0, 10).setAllowRewind(true)).setWriter("intern"));
    group.commit(group.request(entry(topic, 0, 11)));
    OffsetResult fetched = group.fetch(topic, 0);
    assertThat(fetched.getHistoryList())
        .extracting(OffsetChange::getOffsetBefore, OffsetChange::getOffsetAfter)
        .containsExactly(tuple(10L, 11L), tuple(500L, 10L), tuple(0L, 500L));
    assertThat(fetched.getHistory(2).hasOffsetBefore()).isFalse();
    assertThat(fetched.getHistory(2).getWriter()).isEqualTo("app-1");
    assertThat(fetched.getHistory(2).getRequestId()).isEqualTo("a");
    assertThat(fetched.getHistory(1).getWriter()).isEqualTo("intern");
    assertThat(fetched.getHistory(0).getWriter()).startsWith("127.0.0.1:");
    assertThat(fetched.getHistoryList())
        .allSatisfy(
            change -> {
              assertThat(change.getChangedAtMs()).isEqualTo(T);
              assertThat(change.getCause()).isEqualTo(ChangeCause.CHANGE_CAUSE_COMMIT);
            });
  }

  /** kafka-go 900: a lower commit rewound the group without a word. */
  @Test
  void lowerCommit_needsAnExplicitYes() {
    group.commit(entry(topic, 0, 500));
    CommitResult lower = group.commit(entry(topic, 0, 10));
    assertFailed(lower, "REGRESSION");
    assertThat(lower.getError().getMetadataMap())
        .containsEntry("committed_offset", "500")
        .containsEntry("offset", "10");
    CommitResult wrong =
        group.commit(entry(topic, 0, 10).setExpectedOffset(499).setAllowRewind(true));
    assertFailed(wrong, "CONFLICT");
    assertThat(wrong.getError().getMetadataMap()).containsEntry("committed_offset", "500");
    CommitResult right =
        group.commit(entry(topic, 0, 10).setExpectedOffset(500).setAllowRewind(true));
    assertThat(right.getOutcome()).isEqualTo(CommitOutcome.COMMIT_OUTCOME_COMMITTED);
    assertThat(right.getOffsetBefore()).isEqualTo(500);
  }

  /** kaf 103, sarama 925: a time that was not found was committed as -1. */
  @Test
  void minusOne_refused() {
    StatusRuntimeException failure = Client.failure(() -> group.commit(entry(topic, 0, -1)));
    assertThat(Client.reason(failure)).isEqualTo("INVALID_ARGUMENT");
    assertThat(failure.getStatus().getDescription()).startsWith("entries[0].next_offset: -1 is ");
    assertThat(group.fetch().getExists()).isFalse();
  }

  /** sarama 530: a commit without a time of the client expired within a minute. */
  @Test
  void commitTime_isTheServers() throws Exception {
    group.commit(entry(topic, 0, 1));
    plan.groups().expire().toCompletableFuture().get(60, TimeUnit.SECONDS);
    OffsetResult fetched = group.fetch(topic, 0);
    assertThat(fetched.getCommitted().getCommitTimeMs()).isEqualTo(T);
    assertThat(fetched.getCommitted().getExpiresAtMs())
        .isEqualTo(T + Duration.ofDays(7).toMillis());
  }

  /** KAFKA-16371: one metadata that was too long left the rest of its batch pending. */
  @Test
  void longMetadata_failsAlone() {
    assertFailed(
        group
            .commit(
                group.request(entry(topic, 0, 1).setMetadata("m".repeat(4097)), entry(topic, 1, 0)))
            .getResults(0),
        "METADATA_TOO_LARGE");
    assertThat(group.fetch(topic, 0).getStatus()).isEqualTo(OffsetStatus.OFFSET_STATUS_NO_OFFSET);
    assertThat(group.fetch(topic, 1).getCommitted().getNextOffset()).isZero();
    CommitResult longest = group.commit(entry(topic, 0, 1).setMetadata("é".repeat(4096)));
    assertThat(longest.getOutcome()).isEqualTo(CommitOutcome.COMMIT_OUTCOME_COMMITTED);
  }

  /** KAFKA-12660: failed commits were counted as commits. */
  @Test
  void metrics_tellFailedCommitsFromMadeOnes() {
    String wide = "wide-" + topic;
    client.topic(wide, 13);
    double committed = commits("committed");
    double tooLarge = commits("metadata_too_large");
    CommitOffsetRequest.Builder request = group.request();
    for (int i = 0; i < 13; i++) {
      request.addEntries(entry(wide, i, 0).setMetadata("m".repeat(i < 10 ? 1 : 5000)));
    }
    group.commit(request);
    assertThat(commits("committed") - committed).isEqualTo(10);
    assertThat(commits("metadata_too_large") - tooLarge).isEqualTo(3);
  }

  /** ruby-kafka 231: offsets outside the log were committed. */
  @Test
  void outsideTheLog_refusedUnlessAllowed() {
    String short10 = "short-" + topic;
    client.topic(short10, 1, times(10));
    client.log.trimLog(
        TrimLogRequest.newBuilder()
            .addEntries(TrimEntry.newBuilder().setTopic(short10).setBeforeOffset(5))
            .build());
    CommitResult above = group.commit(entry(short10, 0, 11));
    assertFailed(above, "OFFSET_OUT_OF_RANGE");
    assertThat(above.getError().getMetadataMap())
        .containsEntry("offset", "11")
        .containsEntry("log_start_offset", "5")
        .containsEntry("end_offset", "10");
    assertFailed(group.commit(entry(short10, 0, 3)), "OFFSET_OUT_OF_RANGE");
    assertThat(group.commit(entry(short10, 0, 3).setAllowOutOfRange(true)).getOffsetNow())
        .isEqualTo(3);
    assertThat(group.commit(entry(short10, 0, 5)).getOffsetNow()).isEqualTo(5);
    assertThat(group.commit(entry(short10, 0, 10)).getOffsetNow()).isEqualTo(10);
    assertThat(group.commit(entry(short10, 0, 11).setAllowOutOfRange(true)).getOffsetNow())
        .isEqualTo(11);
  }

  /** KAFKA-10048: offset 0 was taken for no commit. */
  @Test
  void offsetZero_isACommit() {
    group.commit(entry(topic, 0, 0));
    OffsetResult fetched = group.fetch(topic, 0);
    assertThat(fetched.getStatus()).isEqualTo(OffsetStatus.OFFSET_STATUS_CURRENT);
    assertThat(fetched.hasCommitted()).isTrue();
    assertThat(fetched.getCommitted().getNextOffset()).isZero();
    GroupClient never = new GroupClient(client, "never-" + topic);
    assertThat(never.fetch().getExists()).isFalse();
    assertThat(never.fetch(topic, 0).hasCommitted()).isFalse();
  }

  /** strimzi 9269: offsets of a topic that was created again made the group read nothing. */
  @Test
  void offsetAboveTheEndOfARecreatedTopic_stale() {
    group.commit(entry(topic, 0, RECORDS));
    recreate(5);
    assertStale();
  }

  /** kop 616: the new topic was longer already, so that its first records were skipped. */
  @Test
  void offsetInsideARecreatedTopic_staleAllTheSame() {
    group.commit(entry(topic, 0, 5));
    recreate(10);
    assertStale();
    CommitResult blind = group.commit(entry(topic, 0, 6));
    assertFailed(blind, "STALE_TOPIC");
    String id =
        client
            .log
            .describeTopic(DescribeTopicRequest.newBuilder().setTopic(topic).build())
            .getTopic()
            .getTopicId();
    assertThat(blind.getError().getMetadataMap()).containsEntry("topic_id", id);
    assertThat(group.commit(entry(topic, 0, 1).setTopicId(id)).getOutcome())
        .isEqualTo(CommitOutcome.COMMIT_OUTCOME_COMMITTED);
    assertThat(group.fetch(topic, 0).getStatus()).isEqualTo(OffsetStatus.OFFSET_STATUS_CURRENT);
  }

  /** grpc-web 1229: large offsets were rounded in JavaScript. */
  @Test
  void largeOffset_exactAlsoInJson() throws Exception {
    long large = (1L << 53) + 1;
    group.commit(entry(topic, 0, large).setAllowOutOfRange(true));
    OffsetResult fetched = group.fetch(topic, 0);
    assertThat(fetched.getCommitted().getNextOffset()).isEqualTo(large);
    String json = JsonFormat.printer().print(fetched);
    assertThat(json).contains("\"nextOffset\": \"9007199254740993\"");
    OffsetResult.Builder parsed = OffsetResult.newBuilder();
    JsonFormat.parser().merge(json, parsed);
    assertThat(parsed.build()).isEqualTo(fetched);
  }

  private void assertStale() {
    OffsetResult fetched = group.fetch(topic, 0);
    assertThat(fetched.getStatus()).isEqualTo(OffsetStatus.OFFSET_STATUS_STALE_TOPIC);
    assertThat(fetched.getCommitted().getTopicId()).hasSize(22);
  }

  private void recreate(long records) {
    client.log.deleteTopic(DeleteTopicRequest.newBuilder().setTopic(topic).build());
    assertThat(group.fetch(topic, 0).getStatus())
        .isEqualTo(OffsetStatus.OFFSET_STATUS_UNKNOWN_TOPIC);
    client.topic(topic, 2, times(records));
  }

  private double commits(String result) {
    return registry.counter("whence.commits", "result", result).count();
  }

  private static long[] times(long count) {
    return LongStream.range(0, count).map(i -> T + i).toArray();
  }
}
