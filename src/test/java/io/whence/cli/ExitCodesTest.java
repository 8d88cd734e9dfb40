package io.whence.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.rpc.Code;
import io.grpc.Status;
import io.whence.v1.ErrorReason;
import io.whence.v1.ListTopicsResponse;
import io.whence.v1.Outcome;
import io.whence.v1.PartitionError;
import io.whence.v1.ReadResponse;
import io.whence.v1.ResolveTimestampResponse;
import io.whence.v1.TimestampAnswer;
import io.whence.v1.TimestampQueryResult;
import io.whence.v1.TopicSummary;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.ServerSocket;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExitCodesTest extends CommandFixture {
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
  void nothingFoundAnywhere_exit4() {
    server.answer(
        Answers.timestamps(
            TimestampAnswer.newBuilder().setOutcome(Outcome.OUTCOME_EMPTY),
            TimestampAnswer.newBuilder().setPartition(1).setOutcome(Outcome.OUTCOME_AFTER_END)));

    assertThat(run("resolve", "--topic", "t", "--ago", "1h")).isEqualTo(4);
    assertThat(out.toString()).contains("empty", "after end");
  }

  @Test
  void onePartitionFailed_exit1AndOthersPrinted() {
    server.answer(
        Answers.timestamps(
            Answers.found(0, 17),
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

    assertThat(Invocation.run("localhost:" + port, out, err, "topics")).isEqualTo(3);
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
  void readOfNothing_exit4() {
    server.answer(ReadResponse.getDefaultInstance());

    assertThat(run("read", "--topic", "t", "--partition", "0")).isEqualTo(4);
  }

  @Test
  void statusWithoutDetails_stillShown() {
    server.fail(Status.UNIMPLEMENTED.withDescription("Method not found").asRuntimeException());

    assertThat(run("topics")).isEqualTo(2);
    assertThat(err.toString()).contains("Method not found");
  }
}
