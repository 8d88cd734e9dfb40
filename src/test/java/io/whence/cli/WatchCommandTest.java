package io.whence.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import com.google.rpc.Code;
import io.whence.v1.ErrorReason;
import io.whence.v1.IsolationLevel;
import io.whence.v1.Outcome;
import io.whence.v1.PartitionError;
import io.whence.v1.RecordInfo;
import io.whence.v1.TimestampAnswer;
import io.whence.v1.WatchDone;
import io.whence.v1.WatchProgress;
import io.whence.v1.WatchStarted;
import io.whence.v1.WatchTimestampRequest;
import io.whence.v1.WatchTimestampResponse;
import io.whence.v1.WatchedPartition;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WatchCommandTest extends CommandFixture {
  private static final long NOW_MS = 1_709_964_000_000L;

  @Test
  void reached_printsEachPartitionAndExit0() {
    server
        .answer(started(2))
        .answer(reached(1, 42))
        .answer(
            event()
                .setProgress(WatchProgress.newBuilder().setReachedCount(1).setWaitingCount(1))
                .build())
        .answer(reached(0, 7))
        .answer(done(2, 0));

    int exitCode = run("watch", "orders", "--at", "2024-03-09T14:00", "--zone", "Asia/Shanghai");

    assertThat(exitCode).isZero();
    assertThat(out.toString())
        .contains("watching 2024-03-09T14:00:00.000+08:00 = 2024-03-09T06:00:00.000Z")
        .contains("source embedded, read uncommitted, 2 partitions")
        .contains(
            "orders partition 1: offset 42, record time 2024-03-09T14:00:00.113+08:00 (+113 ms)")
        .contains("1 reached, 1 waiting, 0 failed")
        .contains("2 of 2 partitions reached");
  }

  @Test
  void options_sentAsGiven() {
    server.answer(started(0)).answer(done(0, 0));

    run(
        "watch",
        "a",
        "b",
        "--at=1709964000000",
        "--partitions=0-1",
        "--progress=1500ms",
        "--source=old",
        "--read-committed");

    WatchTimestampRequest request = server.request(WatchTimestampRequest.class);
    assertThat(request.getSource()).isEqualTo("old");
    assertThat(request.getIsolationLevel())
        .isEqualTo(IsolationLevel.ISOLATION_LEVEL_READ_COMMITTED);
    assertThat(request.getQueriesList()).extracting(q -> q.getTopic()).containsExactly("a", "b");
    assertThat(request.getQueries(1).getPartitionsList()).containsExactly(0, 1);
    assertThat(request.getQueries(1).getTime().getEpochMs()).isEqualTo(NOW_MS);
    assertThat(request.getProgressInterval().getSeconds()).isEqualTo(1);
    assertThat(request.getProgressInterval().getNanos()).isEqualTo(500_000_000);
  }

  @Test
  void failedPartition_exit1AndSaysWhy() {
    server
        .answer(started(2))
        .answer(reached(0, 7))
        .answer(
            event()
                .setPartition(
                    WatchedPartition.newBuilder()
                        .setTopic("orders")
                        .setAnswer(
                            TimestampAnswer.newBuilder()
                                .setPartition(1)
                                .setOutcome(Outcome.OUTCOME_FAILED)
                                .setError(
                                    PartitionError.newBuilder()
                                        .setReason(ErrorReason.ERROR_REASON_STALE_TOPIC)
                                        .setMessage("made anew"))))
                .build())
        .answer(done(1, 1));

    assertThat(run("watch", "orders", "--at", "now")).isEqualTo(1);
    assertThat(out.toString())
        .contains("1 of 2 partitions reached")
        .contains("orders partition 1: made anew (STALE_TOPIC)");
  }

  @Test
  void json_isOneDocumentALine() throws InvalidProtocolBufferException {
    server.answer(started(1)).answer(reached(0, 7)).answer(done(1, 0));

    assertThat(run("watch", "orders", "--at", "now", "--format", "json")).isZero();

    List<String> lines = out.toString().lines().toList();
    assertThat(lines).hasSize(3);
    WatchTimestampResponse.Builder second = WatchTimestampResponse.newBuilder();
    JsonFormat.parser().merge(lines.get(1), second);
    assertThat(second.build()).isEqualTo(reached(0, 7));
  }

  @Test
  void brokenConnection_isMadeAnewAndTheMomentStays() {
    server
        .answer(started(2))
        .answer(reached(1, 42))
        .fail(FakeServer.failure(Code.UNAVAILABLE, "DRAINING", "stops", Map.of()))
        .answer(started(2))
        .answer(reached(1, 42))
        .answer(reached(0, 7))
        .answer(done(2, 0));

    int exitCode = run("watch", "orders", "--at", "2h ago");

    assertThat(exitCode).isZero();
    List<WatchTimestampRequest> requests = server.requests(WatchTimestampRequest.class);
    assertThat(requests).hasSize(2);
    assertThat(requests.get(0).getQueries(0).getTime().hasAgo()).isTrue();
    assertThat(requests.get(1).getQueries(0).getTime().getEpochMs()).isEqualTo(NOW_MS);
    assertThat(out.toString()).containsOnlyOnce("partition 1").containsOnlyOnce("watching");
    assertThat(out.toString()).contains("2 of 2 partitions reached");
    assertThat(err.toString()).contains("stops").containsOnlyOnce("still watching");
  }

  @Test
  void failureOfTheWholeCall_isTold() {
    server.fail(
        FakeServer.failure(Code.NOT_FOUND, "UNKNOWN_TOPIC", "no 'x'", Map.of("topic", "x")));

    assertThat(run("watch", "x", "--at", "now")).isEqualTo(2);
    assertThat(err.toString()).contains("no 'x'").contains("UNKNOWN_TOPIC");
  }

  @Test
  void timeIsUp_saysWhatIsMissing() {
    server
        .answer(started(3))
        .answer(reached(1, 42))
        .fail(FakeServer.failure(Code.DEADLINE_EXCEEDED, "DEADLINE_EXCEEDED", "late", Map.of()));

    assertThat(run("watch", "orders", "--at", "now", "--for", "10s")).isEqualTo(1);
    assertThat(err.toString()).contains("gave up; 2 of 3 partitions were not reached");
  }

  @Test
  void badSpans_refused() {
    assertThat(run("watch", "orders", "--at", "now", "--progress", "10ms")).isEqualTo(2);
    assertThat(err.toString()).contains("--progress '10ms': write a span from 1.000 s");
    assertThat(run("watch", "orders", "--at", "now", "--for", "soon")).isEqualTo(2);
    assertThat(run("watch", "orders")).isEqualTo(2);
  }

  private static WatchTimestampResponse.Builder event() {
    return WatchTimestampResponse.newBuilder().setServerTimeMs(NOW_MS);
  }

  private static WatchTimestampResponse started(int partitions) {
    return event()
        .setStarted(
            WatchStarted.newBuilder()
                .setSource("embedded")
                .addTargetTimestampMs(NOW_MS)
                .setPartitionCount(partitions))
        .build();
  }

  private static WatchTimestampResponse reached(int partition, long offset) {
    return event()
        .setPartition(
            WatchedPartition.newBuilder()
                .setTopic("orders")
                .setAnswer(
                    Answers.found(partition, offset)
                        .setDistanceMs(113)
                        .setRecord(
                            RecordInfo.newBuilder()
                                .setOffset(offset)
                                .setTimestampMs(NOW_MS + 113))))
        .build();
  }

  private static WatchTimestampResponse done(int reached, int failed) {
    return event()
        .setDone(WatchDone.newBuilder().setReachedCount(reached).setFailedCount(failed))
        .build();
  }
}
