package io.whence.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.google.rpc.Code;
import io.whence.v1.CommitEntry;
import io.whence.v1.CommitOffsetRequest;
import io.whence.v1.CommitOffsetResponse;
import io.whence.v1.CommitOutcome;
import io.whence.v1.CommitResult;
import io.whence.v1.ErrorReason;
import io.whence.v1.ListTopicsResponse;
import io.whence.v1.PartitionError;
import io.whence.v1.TopicSummary;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CommitCommandTest extends CommandFixture {
  private static final long BEYOND_DOUBLE = 9_007_199_254_740_993L;

  @Test
  void severalCommitted_exit0AndTableShowsBeforeAndNow() {
    server.answer(
        response(
            result(0, CommitOutcome.COMMIT_OUTCOME_COMMITTED).setOffsetBefore(40).setOffsetNow(42),
            result(1, CommitOutcome.COMMIT_OUTCOME_COMMITTED).setOffsetNow(7)));

    assertThat(run("commit", "billing", "orders:0=42", "orders:1=7")).isZero();
    assertThat(out.toString())
        .contains("group billing, source embedded")
        .containsPattern("orders +0 +committed +40 +42\\n")
        .containsPattern("orders +1 +committed +– +7\\n");
    CommitOffsetRequest request = server.request(CommitOffsetRequest.class);
    assertThat(request.getGroup()).isEqualTo("billing");
    assertThat(request.getEntriesList())
        .extracting(CommitEntry::getPartition, CommitEntry::getNextOffset)
        .containsExactly(tuple(0, 42L), tuple(1, 7L));
    assertThat(UUID.fromString(request.getRequestId()).version()).isEqualTo(4);
    assertThat(request.getWriter()).startsWith(System.getProperty("user.name") + "@");
    assertThat(request.getAtomic()).isFalse();
  }

  @Test
  void allOptions_sentWithEachEntry() {
    server.answer(response(result(0, CommitOutcome.COMMIT_OUTCOME_UNCHANGED)));

    String line =
        "commit g t:0=1 t:1=2 --expect 0 --allow-rewind --allow-out-of-range --metadata m"
            + " --leader-epoch 3 --writer-epoch 4 --request-id r-1 --writer me --atomic"
            + " --topic-id id --source s";
    run(line.split(" "));

    CommitOffsetRequest request = server.request(CommitOffsetRequest.class);
    assertThat(request.getRequestId()).isEqualTo("r-1");
    assertThat(request.getWriter()).isEqualTo("me");
    assertThat(request.getAtomic()).isTrue();
    assertThat(request.getSource()).isEqualTo("s");
    assertThat(request.getEntriesList())
        .hasSize(2)
        .allSatisfy(
            entry -> {
              assertThat(entry.hasExpectedOffset()).isTrue();
              assertThat(entry.getExpectedOffset()).isZero();
              assertThat(entry.getExpectNoOffset()).isFalse();
              assertThat(entry.getAllowRewind()).isTrue();
              assertThat(entry.getAllowOutOfRange()).isTrue();
              assertThat(entry.getMetadata()).isEqualTo("m");
              assertThat(entry.getLeaderEpoch()).isEqualTo(3);
              assertThat(entry.getWriterEpoch()).isEqualTo(4);
              assertThat(entry.getTopicId()).isEqualTo("id");
            });
  }

  @Test
  void noGuards_leavesThemUnset() {
    server.answer(response(result(0, CommitOutcome.COMMIT_OUTCOME_COMMITTED)));

    run("commit", "g", "t:0=1", "--expect-none");

    CommitEntry entry = server.request(CommitOffsetRequest.class).getEntries(0);
    assertThat(entry.getExpectNoOffset()).isTrue();
    assertThat(entry.hasExpectedOffset()).isFalse();
    assertThat(entry.hasLeaderEpoch()).isFalse();
    assertThat(entry.hasWriterEpoch()).isFalse();
    assertThat(entry.getAllowRewind()).isFalse();
  }

  @Test
  void oneRefused_exit1AndSaysWhy() {
    server.answer(
        response(
            result(0, CommitOutcome.COMMIT_OUTCOME_NOT_APPLIED).setOffsetBefore(1).setOffsetNow(1),
            result(3, CommitOutcome.COMMIT_OUTCOME_FAILED)
                .setOffsetBefore(50)
                .setOffsetNow(50)
                .setError(
                    PartitionError.newBuilder()
                        .setReason(ErrorReason.ERROR_REASON_REGRESSION)
                        .setMessage("42 is lower than 50"))));

    assertThat(run("commit", "g", "orders:0=5", "orders:3=42")).isEqualTo(1);
    assertThat(out.toString())
        .containsPattern("orders +0 +not applied +1 +1\\n")
        .containsPattern("orders +3 +failed +50 +50\\n")
        .contains("orders partition 3: 42 is lower than 50 (REGRESSION)");
  }

  @Test
  void dryRun_saysSoAndTakesNoRequestId() {
    server.answer(response(result(0, CommitOutcome.COMMIT_OUTCOME_COMMITTED)));

    assertThat(run("commit", "g", "orders:0=5", "--dry-run")).isZero();
    assertThat(out.toString()).contains("dry run, nothing was committed");
    CommitOffsetRequest request = server.request(CommitOffsetRequest.class);
    assertThat(request.getDryRun()).isTrue();
    assertThat(request.getRequestId()).isEmpty();
  }

  @Test
  void replayed_saysSo() {
    server.answer(
        response(result(0, CommitOutcome.COMMIT_OUTCOME_COMMITTED)).toBuilder()
            .setReplayed(true)
            .build());

    assertThat(run("commit", "g", "orders:0=5", "--request-id", "r")).isZero();
    assertThat(out.toString()).contains("the result of an earlier request of this id");
  }

  @Test
  void offsetBeyondDouble_exactInRequestTableAndJson() {
    for (String format : new String[] {"table", "json"}) {
      server.answer(
          response(result(0, CommitOutcome.COMMIT_OUTCOME_COMMITTED).setOffsetNow(BEYOND_DOUBLE)));

      run("commit", "g", "orders:0=" + BEYOND_DOUBLE, "--format", format);
    }

    assertThat(server.requests(CommitOffsetRequest.class))
        .allMatch(request -> request.getEntries(0).getNextOffset() == BEYOND_DOUBLE);
    assertThat(out.toString())
        .containsPattern("committed +– +9007199254740993\\n")
        .contains("\"offsetNow\": \"9007199254740993\"");
  }

  @Test
  void answerLost_namesTheRequestIdToSendAgain() {
    server.fail(FakeServer.failure(Code.UNAVAILABLE, "DRAINING", "going down", Map.of()));

    assertThat(run("commit", "g", "orders:0=5", "--request-id", "r-7")).isEqualTo(5);
    assertThat(err.toString())
        .contains("--request-id r-7")
        .contains("commits nothing twice", "followed cluster only with --expect");
  }

  @Test
  void callRefused_saysNothingOfSendingAgain() {
    server.fail(
        FakeServer.failure(Code.FAILED_PRECONDITION, "READ_ONLY_SOURCE", "read-only", Map.of()));

    assertThat(run("commit", "g", "orders:0=5")).isEqualTo(2);
    assertThat(err.toString()).contains("READ_ONLY_SOURCE").doesNotContain("--request-id");
  }

  @Test
  void partitionLeftOut_takenAsZeroOnlyWhereThereIsOnlyOne() {
    server.answer(topics(1)).answer(response(result(0, CommitOutcome.COMMIT_OUTCOME_COMMITTED)));
    server.answer(topics(12));

    assertThat(run("commit", "g", "orders=5")).isZero();
    assertThat(run("commit", "g", "orders=5")).isEqualTo(2);
    assertThat(err.toString()).contains("topic 'orders' has 12 partitions; name one");
    assertThat(server.requests(CommitOffsetRequest.class)).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "commit g|Missing required parameter",
        "commit g orders|write TOPIC:PARTITION=OFFSET",
        "commit g orders:0|write TOPIC:PARTITION=OFFSET",
        "commit g orders:x=1|write TOPIC:PARTITION=OFFSET",
        "commit g orders:0=-1|write TOPIC:PARTITION=OFFSET",
        "commit g orders:0=1.5|write TOPIC:PARTITION=OFFSET",
        "commit g =1|write TOPIC:PARTITION=OFFSET",
        "commit g orders:0=9223372036854775808|larger than",
        "commit g orders:0=1 --expect 1 --expect-none|mutually exclusive",
      })
  void wrongCommandLine_exit2AndNothingSent(String line, String message) {
    assertThat(run(line.split(" "))).isEqualTo(2);
    assertThat(err.toString()).contains(message);
    assertThat(server.requests(Object.class)).isEmpty();
  }

  private static CommitResult.Builder result(int partition, CommitOutcome outcome) {
    return CommitResult.newBuilder()
        .setGroup("billing")
        .setTopic("orders")
        .setPartition(partition)
        .setOutcome(outcome);
  }

  private static CommitOffsetResponse response(CommitResult.Builder... results) {
    CommitOffsetResponse.Builder response = CommitOffsetResponse.newBuilder().setSource("embedded");
    for (CommitResult.Builder result : results) {
      response.addResults(result);
    }
    return response.build();
  }

  private static ListTopicsResponse topics(int partitions) {
    return ListTopicsResponse.newBuilder()
        .addTopics(TopicSummary.newBuilder().setTopic("orders").setPartitionCount(partitions))
        .build();
  }
}
