package io.whence.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.rpc.Code;
import io.whence.v1.ErrorReason;
import io.whence.v1.GetGroupLagRequest;
import io.whence.v1.GetGroupLagResponse;
import io.whence.v1.GroupLag;
import io.whence.v1.GroupQuery;
import io.whence.v1.IsolationLevel;
import io.whence.v1.LagStatus;
import io.whence.v1.LagSum;
import io.whence.v1.LogBounds;
import io.whence.v1.PartitionError;
import io.whence.v1.PartitionLag;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class LagCommandTest extends CommandFixture {
  private static final String TERMINAL = "whence.terminal";
  private static final long NOW_MS = 1_709_964_000_000L;

  @AfterEach
  void forgetTerminal() {
    System.clearProperty(TERMINAL);
  }

  @Test
  void behind_showsRecordsTimesAndSum() {
    server.answer(
        response(
            group(
                LagSum.newBuilder()
                    .setPartitionCount(2)
                    .setOffsetLag(11)
                    .setRecordLag(10)
                    .setMaxStalenessMs(7_380_000)
                    .setMaxSpanMs(60_500)
                    .setPartitionsWithoutOffset(1),
                lag(0, LagStatus.LAG_STATUS_BEHIND)
                    .setCommittedOffset(40)
                    .setBounds(LogBounds.newBuilder().setEndOffset(51))
                    .setOffsetLag(11)
                    .setRecordLag(10)
                    .setStalenessMs(7_380_000)
                    .setSpanMs(60_500)
                    .setFutureTimestamp(true),
                lag(1, LagStatus.LAG_STATUS_NO_OFFSET)
                    .setBounds(LogBounds.newBuilder().setEndOffset(7)))));

    assertThat(run("lag", "billing", "--zone", "Asia/Shanghai")).isZero();
    assertThat(out.toString())
        .contains("group billing\n")
        .contains("source embedded, read uncommitted, at 2024-03-09T14:00:00.000+08:00")
        .containsPattern("orders +0 +40 +51 +11 +10 +2 h 3 min +60.500 s +behind +future\\n")
        .containsPattern("orders +1 +– +7 +– +– +– +– +no offset\\n")
        .containsPattern("sum +2 +11 +10 +max 2 h 3 min +max 60.500 s +1 no offset\\n")
        .doesNotContain("-1");
  }

  @ParameterizedTest
  @EnumSource(
      value = LagStatus.class,
      names = {"UNRECOGNIZED", "LAG_STATUS_UNSPECIFIED"},
      mode = EnumSource.Mode.EXCLUDE)
  void eachStatus_shownInWords(LagStatus status) {
    server.answer(response(group(LagSum.newBuilder(), lag(0, status))));

    run("lag", "billing");

    String words = status.name().replace("LAG_STATUS_", "").replace('_', ' ');
    assertThat(out.toString()).contains(words.toLowerCase(Locale.ROOT));
  }

  @Test
  void offsetOutsideTheLog_saysByHowMuch() {
    server.answer(
        response(
            group(
                LagSum.newBuilder()
                    .setPartitionCount(2)
                    .setPartitionsBelowStart(1)
                    .setPartitionsAheadOfEnd(1),
                lag(0, LagStatus.LAG_STATUS_BELOW_START).setCommittedOffset(1).setLostOffsets(9),
                lag(1, LagStatus.LAG_STATUS_AHEAD_OF_END).setCommittedOffset(80).setAheadBy(3))));

    assertThat(run("lag", "billing")).isZero();
    assertThat(out.toString())
        .contains("9 offsets lost", "3 above the end", "1 below start, 1 ahead of end");
  }

  @Test
  void onePartitionFailed_exit1AndSaysWhy() {
    server.answer(
        response(
            group(
                LagSum.newBuilder().setPartitionCount(1).setPartitionsFailed(1),
                lag(3, LagStatus.LAG_STATUS_FAILED)
                    .setError(
                        PartitionError.newBuilder()
                            .setReason(ErrorReason.ERROR_REASON_STORAGE_ERROR)
                            .setMessage("disk")
                            .setRetriable(true)))));

    assertThat(run("lag", "billing")).isEqualTo(1);
    assertThat(out.toString())
        .containsPattern("sum +1 +– +– +– +– +1 failed")
        .contains("orders partition 3: disk (STORAGE_ERROR; the same may succeed later)");
  }

  @ParameterizedTest
  @CsvSource({"lag billing nobody", "lag billing nobody --sum"})
  void oneGroupFailed_exit1AndSaysWhy(String line) {
    server.answer(
        response(
            GroupLag.newBuilder()
                .setGroup("billing")
                .setError(
                    PartitionError.newBuilder()
                        .setReason(ErrorReason.ERROR_REASON_DAMAGED_LOG)
                        .setMessage("damaged")),
            GroupLag.newBuilder().setGroup("nobody").setSum(LagSum.newBuilder())));

    assertThat(run(line.split(" "))).isEqualTo(1);
    assertThat(out.toString())
        .contains("group billing: damaged (DAMAGED_LOG)")
        .contains("has committed nothing")
        .doesNotContain("group billing: has committed nothing")
        .doesNotContainPattern("billing .*has committed nothing");
  }

  @Test
  void unknownGroup_exit4() {
    server.answer(response(GroupLag.newBuilder().setGroup("nobody").setSum(LagSum.newBuilder())));

    assertThat(run("lag", "nobody")).isEqualTo(4);
    assertThat(out.toString()).contains("group nobody: has committed nothing");
  }

  @Test
  void sum_oneLineForEachGroup() {
    server.answer(
        response(
            group(LagSum.newBuilder().setPartitionCount(2).setOffsetLag(5).setRecordLag(4)),
            GroupLag.newBuilder().setGroup("nobody").setSum(LagSum.newBuilder())));

    assertThat(run("lag", "billing", "nobody", "--sum")).isZero();
    assertThat(out.toString())
        .containsPattern("billing +2 +5 +4 +– +–\\n")
        .containsPattern("nobody +0 +– +– +– +– +has committed nothing\\n");
  }

  @Test
  void options_sentAsGiven() {
    server.answer(response(group(LagSum.newBuilder())));

    run("lag", "a", "b", "--topic", "t:0-1", "--topic", "u", "--read-committed", "--source", "s");

    GetGroupLagRequest request = server.request(GetGroupLagRequest.class);
    assertThat(request.getSource()).isEqualTo("s");
    assertThat(request.getIsolationLevel())
        .isEqualTo(IsolationLevel.ISOLATION_LEVEL_READ_COMMITTED);
    assertThat(request.getQueriesList()).extracting(GroupQuery::getGroup).containsExactly("a", "b");
    assertThat(request.getQueries(1).getTopics(0).getPartitionsList()).containsExactly(0, 1);
    assertThat(request.getQueries(1).getTopics(1).getTopic()).isEqualTo("u");
    assertThat(out.toString()).contains("read committed");
  }

  @Test
  void lagBeyondDouble_stringInJson() {
    server.answer(
        response(
            group(
                LagSum.newBuilder().setOffsetLag(9_007_199_254_740_993L),
                lag(0, LagStatus.LAG_STATUS_BEHIND).setCommittedOffset(9_007_199_254_740_993L))));

    run("lag", "billing", "--format", "json");

    assertThat(out.toString())
        .contains("\"committedOffset\": \"9007199254740993\"")
        .contains("\"offsetLag\": \"9007199254740993\"");
  }

  @Test
  void watchWithoutTerminal_printsBlocksOneAfterTheOther() {
    for (int i = 0; i < 3; i++) {
      server.answer(response(group(LagSum.newBuilder().setOffsetLag(i))));
    }

    assertThat(run("lag", "--watch=100ms", "--rounds", "3", "billing", "--sum")).isZero();
    assertThat(server.requests(GetGroupLagRequest.class))
        .hasSize(3)
        .allMatch(request -> request.getQueriesCount() == 1);
    assertThat(out.toString().split("at 2024-03-09T06:00:00.000Z", -1)).hasSize(4);
    assertThat(out.toString()).doesNotContain("\u001b");
  }

  @Test
  void watchOnTerminal_clearsTheScreenEachRound() {
    System.setProperty(TERMINAL, "true");
    server.answer(response(group(LagSum.newBuilder())));

    run("lag", "billing", "--watch", "--rounds", "1", "--no-color");

    assertThat(out.toString()).startsWith("\u001b[H\u001b[2Jgroup billing");
  }

  @Test
  void groupAfterBareWatch_isAGroup() {
    server.answer(response(group(LagSum.newBuilder())));

    assertThat(run("lag", "--rounds", "1", "--watch", "billing")).isZero();
    assertThat(server.request(GetGroupLagRequest.class).getQueries(0).getGroup())
        .isEqualTo("billing");
  }

  @Test
  void laterRoundFails_goesOn() {
    server.answer(response(group(LagSum.newBuilder())));
    server.fail(FakeServer.failure(Code.UNAVAILABLE, "DRAINING", "going down", Map.of()));
    server.answer(response(group(LagSum.newBuilder())));

    assertThat(run("lag", "billing", "--watch=100ms", "--rounds", "3")).isZero();
    assertThat(err.toString()).contains("going down", "DRAINING");
    assertThat(out.toString().split("group billing", -1)).hasSize(3);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "lag|GROUP",
        "lag g --watch=never|write a span from 100ms",
        "lag g --watch=1ms|write a span from 100ms",
        "lag g --watch --rounds 0|--rounds 0: at least 1",
        "lag g --watch --rounds -3|--rounds -3: at least 1",
        "lag g --watch --format json|--watch prints tables",
        "lag g --topic :1|write a topic",
        "lag g --zone Mars/Olympus|no time zone"
      })
  void wrongCommandLine_exit2AndNothingSent(String line, String message) {
    assertThat(run(line.split(" "))).isEqualTo(2);
    assertThat(err.toString() + out).contains(message);
    assertThat(server.requests(Object.class)).isEmpty();
  }

  private static PartitionLag.Builder lag(int partition, LagStatus status) {
    return PartitionLag.newBuilder().setTopic("orders").setPartition(partition).setStatus(status);
  }

  private static GroupLag.Builder group(LagSum.Builder sum, PartitionLag.Builder... lags) {
    GroupLag.Builder group = GroupLag.newBuilder().setGroup("billing").setExists(true).setSum(sum);
    for (PartitionLag.Builder lag : lags) {
      group.addPartitions(lag);
    }
    return group;
  }

  private static GetGroupLagResponse response(GroupLag.Builder... groups) {
    GetGroupLagResponse.Builder response =
        GetGroupLagResponse.newBuilder().setSource("embedded").setServerTimeMs(NOW_MS);
    for (GroupLag.Builder group : groups) {
      response.addResults(group);
    }
    return response.build();
  }
}
