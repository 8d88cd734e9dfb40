package io.whence.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Struct;
import com.google.protobuf.util.JsonFormat;
import com.google.rpc.Code;
import io.grpc.Status;
import io.whence.v1.AppendRequest;
import io.whence.v1.AppendResponse;
import io.whence.v1.AppendResult;
import io.whence.v1.ErrorReason;
import io.whence.v1.ListTopicsResponse;
import io.whence.v1.LogBounds;
import io.whence.v1.OffsetAnswer;
import io.whence.v1.OffsetQueryResult;
import io.whence.v1.OffsetRange;
import io.whence.v1.Outcome;
import io.whence.v1.PartitionError;
import io.whence.v1.PositionKind;
import io.whence.v1.ReadResponse;
import io.whence.v1.RecordInfo;
import io.whence.v1.ResolveOffsetRequest;
import io.whence.v1.ResolveOffsetResponse;
import io.whence.v1.ResolveTimestampRequest;
import io.whence.v1.ResolveTimestampResponse;
import io.whence.v1.ResolveWindowResponse;
import io.whence.v1.TimestampAnswer;
import io.whence.v1.TimestampQueryResult;
import io.whence.v1.TopicSummary;
import io.whence.v1.WindowAnswer;
import io.whence.v1.WindowQueryResult;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WhenceTest {
  private static final long BEYOND_DOUBLE = 9_007_199_254_740_993L;

  private FakeServer server;
  private StringWriter out;
  private StringWriter err;

  @BeforeEach
  void startServer() throws IOException {
    server = FakeServer.start();
    out = new StringWriter();
    err = new StringWriter();
  }

  @AfterEach
  void stopServer() {
    server.close();
  }

  @Test
  void topicsListed_exit0() {
    server.answer(
        ListTopicsResponse.newBuilder()
            .addTopics(
                TopicSummary.newBuilder()
                    .setSource("embedded")
                    .setTopic("orders")
                    .setPartitionCount(12))
            .build());

    assertThat(run("topics")).isEqualTo(0);
    assertThat(out.toString()).contains("embedded", "orders", "12");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void someFound_exit0AndTableShowsInstantInUtcAndZone() {
    server.answer(
        timestamps(
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
  void requestOptions_sentAsGiven() {
    server.answer(timestamps(found(0, 1)));

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
    server.answer(timestamps(found(0, 1)));

    run("resolve", "--topic", "t", "--at-or-after", "1622505600", "--unit", "s");

    assertThat(out.toString()).contains("1622505600 read as seconds = 2021-06-01T00:00:00Z");
  }

  @Test
  void nothingFoundAnywhere_exit4() {
    server.answer(
        timestamps(
            TimestampAnswer.newBuilder().setOutcome(Outcome.OUTCOME_EMPTY),
            TimestampAnswer.newBuilder().setPartition(1).setOutcome(Outcome.OUTCOME_AFTER_END)));

    assertThat(run("resolve", "--topic", "t", "--ago", "1h")).isEqualTo(4);
    assertThat(out.toString()).contains("empty", "after end");
  }

  @Test
  void onePartitionFailed_exit1AndOthersPrinted() {
    server.answer(
        timestamps(
            found(0, 17),
            TimestampAnswer.newBuilder()
                .setPartition(99)
                .setOutcome(Outcome.OUTCOME_FAILED)
                .setError(
                    PartitionError.newBuilder()
                        .setReason(ErrorReason.ERROR_REASON_UNKNOWN_PARTITION)
                        .setMessage("topic t has 1 partition"))));

    assertThat(run("resolve", "--topic", "t", "--latest")).isEqualTo(1);
    assertThat(out.toString())
        .contains("17")
        .contains("partition 99: topic t has 1 partition (UNKNOWN_PARTITION)");
  }

  @Test
  void queryFailed_exit1() {
    server.answer(
        ResolveTimestampResponse.newBuilder()
            .addResults(
                TimestampQueryResult.newBuilder()
                    .setTopic("nope")
                    .setError(
                        PartitionError.newBuilder()
                            .setReason(ErrorReason.ERROR_REASON_UNKNOWN_TOPIC)
                            .setMessage("no topic nope")))
            .build());

    assertThat(run("resolve", "--topic", "nope", "--latest")).isEqualTo(1);
    assertThat(out.toString()).contains("no topic nope (UNKNOWN_TOPIC)");
  }

  @Test
  void nothingListens_exit3AndSaysHowToStart() throws IOException {
    int port;
    try (ServerSocket socket = new ServerSocket(0)) {
      port = socket.getLocalPort();
    }

    assertThat(runAt("localhost:" + port, "topics")).isEqualTo(3);
    assertThat(err.toString())
        .contains("nothing listens at localhost:" + port)
        .contains("./whence serve");
  }

  @ParameterizedTest
  @CsvSource({
    "NOT_FOUND, UNKNOWN_TOPIC, 2",
    "FAILED_PRECONDITION, READ_ONLY_SOURCE, 2",
    "UNAVAILABLE, DRAINING, 5",
    "RESOURCE_EXHAUSTED, OVERLOADED, 5",
    "DEADLINE_EXCEEDED, DEADLINE_EXCEEDED, 5",
    "INTERNAL, INTERNAL, 5"
  })
  void callFailed_exitCodeSaysWhetherToRetry(Code code, String reason, int exitCode) {
    server.fail(FakeServer.failure(code, reason, "it did not work", Map.of("topic", "t")));

    assertThat(run("topics")).isEqualTo(exitCode);
    assertThat(err.toString()).contains("it did not work", reason, "topic: t");
    assertThat(out.toString()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "resolve --topic t|Missing",
        "resolve --topic t --latest --earliest|mutually exclusive",
        "resolve --latest|--topic",
        "resolve --topic t --at-or-after 2024-03-09T14:00|no time zone",
        "resolve --topic t --at-or-after yesterdayish|can't be read as a time",
        "resolve --topic t --ago never|no span of time",
        "resolve --topic t --latest --partitions 3-1|ends before it starts",
        "resolve --topic t --latest --zone Mars/Olympus|no time zone",
        "topics --timeout 0s|--timeout",
        "topics --server a/b|HOST:PORT",
        "topics --nonsense|--nonsense",
        "nonsense|nonsense"
      })
  void wrongCommandLine_exit2AndSaysWhatIsWrong(String line, String message) {
    assertThat(Whence.run(line.split(" "), new PrintWriter(out), new PrintWriter(err)))
        .isEqualTo(2);
    assertThat(err.toString()).contains(message);
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void json_isTheWholeResponseAndKeepsLargeOffsets() throws InvalidProtocolBufferException {
    ResolveTimestampResponse response = timestamps(found(0, BEYOND_DOUBLE));
    server.answer(response);

    assertThat(run("resolve", "--topic", "t", "--latest", "--format", "json")).isEqualTo(0);
    assertThat(out.toString())
        .contains("\"offset\": \"9007199254740993\"")
        .contains("\"partition\": 0");
    ResolveTimestampResponse.Builder parsed = ResolveTimestampResponse.newBuilder();
    JsonFormat.parser().merge(out.toString(), parsed);
    assertThat(parsed.build()).isEqualTo(response);
  }

  @Test
  void jsonOfFailedCall_isOneDocumentOnStandardOutput() throws InvalidProtocolBufferException {
    server.fail(
        FakeServer.failure(Code.NOT_FOUND, "UNKNOWN_TOPIC", "no \"x\"", Map.of("topic", "x")));

    assertThat(run("topics", "--format=json")).isEqualTo(2);
    Struct error = document().getFieldsOrThrow("error").getStructValue();
    assertThat(error.getFieldsOrThrow("reason").getStringValue()).isEqualTo("UNKNOWN_TOPIC");
    assertThat(error.getFieldsOrThrow("message").getStringValue()).isEqualTo("no \"x\"");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void jsonOfWrongCommandLine_isOneDocumentOnStandardOutput()
      throws InvalidProtocolBufferException {
    int exitCode = run("topics", "--format", "json", "--nonsense");

    assertThat(exitCode).isEqualTo(2);
    Struct error = document().getFieldsOrThrow("error").getStructValue();
    assertThat(error.getFieldsOrThrow("message").getStringValue()).contains("--nonsense");
    assertThat(err.toString()).isEmpty();
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
                    .addAnswers(window(0, 10, 25, 15, 2))
                    .addAnswers(window(1, 100, 200, 100, 3))
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
  void readOfNothing_exit4() {
    server.answer(ReadResponse.getDefaultInstance());

    assertThat(run("read", "--topic", "t", "--partition", "0")).isEqualTo(4);
  }

  @Test
  void appendOfLines_sendsBatchesAndReportsOffsets() {
    server.answer(appended(0, 1_000)).answer(appended(1_000, 1_001));
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

  @Test
  void statusWithoutDetails_stillShown() {
    server.fail(Status.UNIMPLEMENTED.withDescription("Method not found").asRuntimeException());

    assertThat(run("topics")).isEqualTo(2);
    assertThat(err.toString()).contains("Method not found");
  }

  private int run(String... args) {
    return runAt(server.address(), args);
  }

  private int runAt(String address, String... args) {
    String[] all = new String[args.length + 2];
    all[0] = args[0];
    all[1] = "--server";
    all[2] = address;
    System.arraycopy(args, 1, all, 3, args.length - 1);
    return Whence.run(all, new PrintWriter(out), new PrintWriter(err));
  }

  private Struct document() throws InvalidProtocolBufferException {
    Struct.Builder document = Struct.newBuilder();
    JsonFormat.parser().merge(out.toString(), document);
    return document.build();
  }

  private static ResolveTimestampResponse timestamps(TimestampAnswer.Builder... answers) {
    TimestampQueryResult.Builder result =
        TimestampQueryResult.newBuilder()
            .setTopic("orders")
            .setPositionKind(PositionKind.POSITION_KIND_AT_OR_AFTER)
            .setTargetTimestampMs(1_709_964_000_000L);
    for (TimestampAnswer.Builder answer : answers) {
      result.addAnswers(answer);
    }
    return ResolveTimestampResponse.newBuilder().setSource("embedded").addResults(result).build();
  }

  private static TimestampAnswer.Builder found(int partition, long offset) {
    return TimestampAnswer.newBuilder()
        .setPartition(partition)
        .setOutcome(Outcome.OUTCOME_FOUND)
        .setOffset(offset);
  }

  private static WindowAnswer window(int partition, long start, long end, long records, long out) {
    return WindowAnswer.newBuilder()
        .setPartition(partition)
        .setOutcome(Outcome.OUTCOME_FOUND)
        .setRange(OffsetRange.newBuilder().setStartOffset(start).setEndOffset(end))
        .setRecordCount(records)
        .setOutsideCount(out)
        .setFirstRecord(RecordInfo.newBuilder().setOffset(start).setTimestampMs(1_709_964_001_000L))
        .setLastRecord(
            RecordInfo.newBuilder().setOffset(end - 1).setTimestampMs(1_709_967_599_000L))
        .build();
  }

  private static AppendResponse appended(long start, long end) {
    return AppendResponse.newBuilder()
        .addResults(
            AppendResult.newBuilder()
                .setRange(OffsetRange.newBuilder().setStartOffset(start).setEndOffset(end)))
        .build();
  }
}
