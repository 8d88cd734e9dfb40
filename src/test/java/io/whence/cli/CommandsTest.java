package io.whence.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.rpc.Code;
import io.whence.v1.AppendRequest;
import io.whence.v1.LogBounds;
import io.whence.v1.OffsetAnswer;
import io.whence.v1.OffsetQueryResult;
import io.whence.v1.Origin;
import io.whence.v1.Outcome;
import io.whence.v1.RecordInfo;
import io.whence.v1.ResolveOffsetRequest;
import io.whence.v1.ResolveOffsetResponse;
import io.whence.v1.ResolveTimestampRequest;
import io.whence.v1.ResolveWindowResponse;
import io.whence.v1.TimestampAnswer;
import io.whence.v1.WindowAnswer;
import io.whence.v1.WindowQueryResult;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CommandsTest extends CommandFixture {
  @Test
  void someFound_exit0AndTableShowsInstantInUtcAndZone() {
    server.answer(
        Answers.timestamps(
            TimestampAnswer.newBuilder()
                .setPartition(3)
                .setOutcome(Outcome.OUTCOME_FOUND)
                .setOffset(42)
                .setDistanceMs(113)
                .setStartCut(true)
                .setFutureTimestamp(true)
                .setRecord(RecordInfo.newBuilder().setOffset(42).setTimestampMs(1_709_964_000_113L))
                .setBounds(LogBounds.newBuilder().setLogStartOffset(7).setEndOffset(99)),
            TimestampAnswer.newBuilder().setPartition(4).setOutcome(Outcome.OUTCOME_AFTER_END)));

    int exitCode =
        run(
            "resolve",
            "--topic",
            "orders",
            "--at-or-after",
            "2024-03-09T14:00",
            "--zone",
            "Asia/Shanghai");

    assertThat(exitCode).isEqualTo(0);
    assertThat(out.toString())
        .contains("at or after 2024-03-09T14:00:00.000+08:00 = 2024-03-09T06:00:00.000Z")
        .contains("2024-03-09T14:00:00.113+08:00")
        .contains("+113 ms")
        .contains("start cut, future")
        .contains("after end", "read on at log end");
  }

  @Test
  void answersOfBrokers_areMarked() {
    server.answer(
        Answers.timestamps(
            Answers.found(0, 42).setOrigin(Origin.ORIGIN_BROKER),
            Answers.found(1, 43).setOrigin(Origin.ORIGIN_MEMORY),
            TimestampAnswer.newBuilder()
                .setPartition(2)
                .setOutcome(Outcome.OUTCOME_AFTER_END)
                .setOrigin(Origin.ORIGIN_BROKER)));

    run("resolve", "--topic", "orders", "--ago", "1h");

    assertThat(out.toString().lines().filter(line -> line.contains("told by a broker")))
        .satisfiesExactly(
            line -> assertThat(line).contains("42").endsWith("told by a broker"),
            line -> assertThat(line).endsWith("told by a broker, read on at log end"));
  }

  @Test
  void requestOptions_sentAsGiven() {
    server.answer(Answers.timestamps(Answers.found(0, 1)));

    run(
        "resolve",
        "--topic",
        "a",
        "--topic",
        "b",
        "--partitions",
        "0-2,7",
        "--ago",
        "2h",
        "--source",
        "old",
        "--read-committed",
        "--allow-unusual-time");

    ResolveTimestampRequest request = server.request(ResolveTimestampRequest.class);
    assertThat(request.getSource()).isEqualTo("old");
    assertThat(request.getAllowUnusualTime()).isTrue();
    assertThat(request.getQueriesList()).extracting(q -> q.getTopic()).containsExactly("a", "b");
    assertThat(request.getQueries(1).getPartitionsList()).containsExactly(0, 1, 2, 7);
    assertThat(request.getQueries(1).getPosition().getAtOrAfter().getAgo().getSeconds())
        .isEqualTo(7_200);
  }

  @Test
  void negativeTime_sentForTheServerToRefuse() {
    server.fail(
        FakeServer.failure(
            Code.INVALID_ARGUMENT, "INVALID_TIME", "-5 is negative", Map.of("field", "epoch_ms")));

    assertThat(run("resolve", "--topic", "t", "--at-or-after", "-5")).isEqualTo(2);
    assertThat(err.toString()).contains("-5 is negative", "INVALID_TIME", "field: epoch_ms");
    ResolveTimestampRequest request = server.request(ResolveTimestampRequest.class);
    assertThat(request.getQueries(0).getPosition().getAtOrAfter().getEpochMs()).isEqualTo(-5);
  }

  @Test
  void unitNamed_echoesWhatWasRead() {
    server.answer(Answers.timestamps(Answers.found(0, 1)));

    run("resolve", "--topic", "t", "--at-or-after", "1622505600", "--unit", "s");

    assertThat(out.toString()).contains("1622505600 read as seconds = 2021-06-01T00:00:00Z");
  }

  @Test
  void window_sumsRecordsAndShowsClockTimesOfOneDay() {
    server.answer(
        ResolveWindowResponse.newBuilder()
            .setSource("embedded")
            .addResults(
                WindowQueryResult.newBuilder()
                    .setTopic("orders")
                    .setFromMs(1_709_964_000_000L)
                    .setToMs(1_709_967_600_000L)
                    .addAnswers(Answers.window(0, 10, 25, 15, 2))
                    .addAnswers(Answers.window(1, 100, 200, 100, 3))
                    .addAnswers(
                        WindowAnswer.newBuilder()
                            .setPartition(2)
                            .setOutcome(Outcome.OUTCOME_NONE_IN_WINDOW)))
            .build());

    int exitCode =
        run(
            "window",
            "--topic",
            "orders",
            "--from",
            "2024-03-09T14:00",
            "--to",
            "2024-03-09T15:00",
            "--zone",
            "Asia/Shanghai");

    assertThat(exitCode).isEqualTo(0);
    assertThat(out.toString())
        .contains("first (2024-03-09 +08:00)")
        .contains("14:00:01.000")
        .contains("none in window")
        .containsPattern("sum +2 of 3 found +115 +5");
  }

  @Test
  void offsetTime_asksInOrderAndNamesMovedRecords() {
    server.answer(
        ResolveOffsetResponse.newBuilder()
            .addResults(
                OffsetQueryResult.newBuilder()
                    .setTopic("t")
                    .addAnswers(
                        OffsetAnswer.newBuilder()
                            .setOffset(5)
                            .setOutcome(Outcome.OUTCOME_FOUND)
                            .setRecord(RecordInfo.newBuilder().setOffset(8).setTimestampMs(1_000))))
            .build());

    int exitCode = run("offset-time", "--topic", "t", "--partition", "2", "--offset", "5", "3");

    assertThat(exitCode).isEqualTo(0);
    assertThat(server.request(ResolveOffsetRequest.class).getQueries(0).getOffsetsList())
        .containsExactly(5L, 3L);
    assertThat(out.toString()).contains("next visible record", "1970-01-01T00:00:01.000Z");
  }

  @Test
  void appendOfLines_sendsBatchesAndReportsOffsets() {
    server.answer(Answers.appended(0, 1_000)).answer(Answers.appended(1_000, 1_001));
    InputStream console = System.in;
    try {
      System.setIn(
          new ByteArrayInputStream("line ü\n".repeat(1_001).getBytes(StandardCharsets.UTF_8)));

      assertThat(
              run(
                  "append",
                  "--topic",
                  "t",
                  "--partition",
                  "0",
                  "--key",
                  "k",
                  "--timestamp",
                  "2024-03-09T14:00:00Z"))
          .isEqualTo(0);
    } finally {
      System.setIn(console);
    }
    List<AppendRequest> requests = server.requests(AppendRequest.class);
    assertThat(requests)
        .extracting(r -> r.getEntries(0).getRecordsCount())
        .containsExactly(1_000, 1);
    assertThat(requests.get(1).getEntries(0).getRecords(0).getValue().toStringUtf8())
        .isEqualTo("line ü");
    assertThat(requests.get(1).getEntries(0).getRecords(0).getTimestampMs())
        .isEqualTo(1_709_992_800_000L);
    assertThat(out.toString()).contains("appended 1001 records", "offsets 0 to 1000");
  }
}
