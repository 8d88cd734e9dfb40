package io.whence.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.whence.app.GrpcServerHandle;
import io.whence.v1.EarliestPosition;
import io.whence.v1.ErrorReason;
import io.whence.v1.IsolationLevel;
import io.whence.v1.LatestPosition;
import io.whence.v1.LogBounds;
import io.whence.v1.MaxTimestampPosition;
import io.whence.v1.OffsetQuery;
import io.whence.v1.OffsetRange;
import io.whence.v1.Origin;
import io.whence.v1.Outcome;
import io.whence.v1.Position;
import io.whence.v1.PositionKind;
import io.whence.v1.ResolveOffsetRequest;
import io.whence.v1.ResolveOffsetResponse;
import io.whence.v1.ResolveTimestampRequest;
import io.whence.v1.ResolveTimestampResponse;
import io.whence.v1.ResolveWindowRequest;
import io.whence.v1.ResolveWindowResponse;
import io.whence.v1.TimePoint;
import io.whence.v1.TimestampAnswer;
import io.whence.v1.TimestampQuery;
import io.whence.v1.WindowAnswer;
import io.whence.v1.WindowQuery;
import jakarta.inject.Inject;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QuarkusTest
@TestProfile(ServerTestProfile.class)
class ResolverServiceTest {
  private static final long T = ServerTestProfile.NOW_MS - 10_000;
  private static int topics;

  @Inject GrpcServerHandle server;

  private Client client;
  private String topic;

  @BeforeEach
  void makeTopic() {
    client = new Client(server.port());
    topic = "resolver-" + topics++;
    client.topic(topic, 3, T, T + 10, T + 5, T + 20, T + 60_000);
  }

  @AfterEach
  void close() throws InterruptedException {
    client.close();
  }

  @Test
  void atOrAfter_firstRecordWithEverything() {
    TimestampAnswer answer = answer(atOrAfter(T + 6));
    assertThat(answer.getOutcome()).isEqualTo(Outcome.OUTCOME_FOUND);
    assertThat(answer.getOffset()).isEqualTo(1);
    assertThat(answer.getRecord().getTimestampMs()).isEqualTo(T + 10);
    assertThat(answer.getRecord().getLeaderEpoch()).isZero();
    assertThat(answer.getDistanceMs()).isEqualTo(4);
    assertThat(answer.getBounds())
        .isEqualTo(LogBounds.newBuilder().setLogStartOffset(0).setEndOffset(5).build());
    assertThat(answer.getOrigin()).isEqualTo(Origin.ORIGIN_MEMORY);
    assertThat(answer.hasStalenessMs()).isTrue();
    assertThat(answer.hasBoundaryOffset()).isFalse();
    assertThat(answer.getFutureTimestamp()).isFalse();
  }

  @Test
  void atOrBefore_lastRecord() {
    TimePoint time = epochMs(T + 7);
    TimestampAnswer answer = answer(Position.newBuilder().setAtOrBefore(time).build());
    assertThat(answer.getOffset()).isEqualTo(2);
    assertThat(answer.getDistanceMs()).isEqualTo(-2);
  }

  @Test
  void allAfter_hasBoundary() {
    TimestampAnswer answer = answer(Position.newBuilder().setAllAfter(epochMs(T + 6)).build());
    assertThat(answer.getOffset()).isEqualTo(3);
    assertThat(answer.getBoundaryOffset()).isEqualTo(3);
  }

  @Test
  void allAfterBeyondEnd_hasBoundaryAndNoOffset() {
    TimestampAnswer answer = answer(Position.newBuilder().setAllAfter(epochMs(T + 60_001)).build());
    assertThat(answer.getOutcome()).isEqualTo(Outcome.OUTCOME_AFTER_END);
    assertThat(answer.hasOffset()).isFalse();
    assertThat(answer.getBoundaryOffset()).isEqualTo(5);
  }

  @Test
  void namedPositions_haveNoTimeFields() {
    TimestampAnswer earliest =
        answer(Position.newBuilder().setEarliest(EarliestPosition.getDefaultInstance()).build());
    TimestampAnswer latest =
        answer(Position.newBuilder().setLatest(LatestPosition.getDefaultInstance()).build());
    assertThat(earliest.getOffset()).isZero();
    assertThat(earliest.hasDistanceMs()).isFalse();
    assertThat(latest.getOffset()).isEqualTo(5);
    assertThat(latest.hasRecord()).isFalse();
  }

  @Test
  void futureRecord_flagged() {
    TimestampAnswer answer =
        answer(
            Position.newBuilder()
                .setMaxTimestamp(MaxTimestampPosition.getDefaultInstance())
                .build());
    assertThat(answer.getOffset()).isEqualTo(4);
    assertThat(answer.getFutureTimestamp()).isTrue();
  }

  @Test
  void nothingFound_noOffset() {
    TimestampAnswer answer = answer(atOrAfter(T + 60_001));
    assertThat(answer.getOutcome()).isEqualTo(Outcome.OUTCOME_AFTER_END);
    assertThat(answer.hasOffset()).isFalse();
    assertThat(answer.hasDistanceMs()).isFalse();
    assertThat(answer.getBounds().getEndOffset()).isEqualTo(5);
  }

  @Test
  void query_echoesTargetKindAndCount() {
    ResolveTimestampResponse response = ask(query(topic, atOrAfter(T)));
    assertThat(response.getSource()).isEqualTo("embedded");
    assertThat(response.getServerTimeMs()).isEqualTo(ServerTestProfile.NOW_MS);
    assertThat(response.getResults(0).getTargetTimestampMs()).isEqualTo(T);
    assertThat(response.getResults(0).getPositionKind())
        .isEqualTo(PositionKind.POSITION_KIND_AT_OR_AFTER);
    assertThat(response.getResults(0).getPartitionCount()).isEqualTo(3);
    assertThat(response.getResults(0).getAnswersList())
        .extracting(TimestampAnswer::getPartition)
        .containsExactly(0, 1, 2);
  }

  @Test
  void duplicates_answeredInRequestOrder() {
    ResolveTimestampResponse response =
        ask(
            query(topic, atOrAfter(T + 15), 0, 0),
            query(topic, atOrAfter(T + 15), 0),
            query(topic, atOrAfter(T + 25), 0));
    assertThat(response.getResultsList())
        .extracting(r -> r.getQueryIndex())
        .containsExactly(0, 1, 2);
    assertThat(response.getResults(0).getAnswersList())
        .extracting(TimestampAnswer::getOffset)
        .containsExactly(3L, 3L);
    assertThat(response.getResults(1).getAnswers(0))
        .isEqualTo(response.getResults(0).getAnswers(0));
    assertThat(response.getResults(2).getAnswers(0).getOffset()).isEqualTo(4);
  }

  @Test
  void badPartitions_failAlone() {
    ResolveTimestampResponse response =
        ask(query(topic, atOrAfter(T), 7, 0), query("nowhere", atOrAfter(T), 0, 1));
    TimestampAnswer unknown = response.getResults(0).getAnswers(0);
    assertThat(unknown.getOutcome()).isEqualTo(Outcome.OUTCOME_FAILED);
    assertThat(unknown.getError().getReason())
        .isEqualTo(ErrorReason.ERROR_REASON_UNKNOWN_PARTITION);
    assertThat(unknown.getError().getMetadataMap()).containsEntry("partition_count", "3");
    assertThat(unknown.hasBounds()).isFalse();
    assertThat(response.getResults(0).getAnswers(1).getOutcome()).isEqualTo(Outcome.OUTCOME_FOUND);
    assertThat(response.getResults(1).getAnswersList())
        .extracting(answer -> answer.getError().getReason())
        .containsExactly(
            ErrorReason.ERROR_REASON_UNKNOWN_TOPIC, ErrorReason.ERROR_REASON_UNKNOWN_TOPIC);
    assertThat(response.getResults(1).hasPartitionCount()).isFalse();
  }

  @Test
  void unknownTopicWithoutPartitions_failsQuery() {
    ResolveTimestampResponse response =
        ask(query("nowhere", atOrAfter(T)), query(topic, atOrAfter(T), 0));
    assertThat(response.getResults(0).getError().getReason())
        .isEqualTo(ErrorReason.ERROR_REASON_UNKNOWN_TOPIC);
    assertThat(response.getResults(0).getAnswersCount()).isZero();
    assertThat(response.getResults(1).getAnswers(0).getOffset()).isZero();
  }

  @Test
  void otherPartitionCount_failsQuery() {
    ResolveTimestampResponse response =
        ask(query(topic, atOrAfter(T)).toBuilder().setExpectPartitionCount(2).build());
    assertThat(response.getResults(0).getError().getReason())
        .isEqualTo(ErrorReason.ERROR_REASON_PARTITION_COUNT_CHANGED);
    assertThat(response.getResults(0).getError().getMetadataMap())
        .containsEntry("expected", "2")
        .containsEntry("partition_count", "3");
  }

  @Test
  void tenThousandPartitions_answeredInOneCall() {
    client.topic("ten-thousand-" + topic, 10_000);
    ResolveTimestampResponse response = ask(query("ten-thousand-" + topic, atOrAfter(T)));
    assertThat(response.getResults(0).getAnswersList())
        .hasSize(10_000)
        .allMatch(answer -> answer.getOutcome() == Outcome.OUTCOME_EMPTY);
  }

  @Test
  void tenThousandQueries_answeredInOneCall() {
    ResolveTimestampRequest.Builder request = ResolveTimestampRequest.newBuilder();
    for (int i = 0; i < 10_000; i++) {
      request.addQueries(query(topic, atOrAfter(T + i % 20), 0));
    }
    ResolveTimestampResponse response = client.resolver.resolveTimestamp(request.build());
    assertThat(response.getResultsList())
        .hasSize(10_000)
        .allMatch(result -> result.getAnswers(0).getOutcome() == Outcome.OUTCOME_FOUND);
  }

  @Test
  void tooManyPartitions_refusedWithBothNumbers() {
    client.topic("many-" + topic, 10_000);
    TimestampQuery all = query("many-" + topic, atOrAfter(T));
    StatusRuntimeException failure = Client.failure(() -> ask(all, all, all));
    assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(failure).hasMessageContaining("queries[2]: 30000 partitions; a call may have 20000");
    assertThat(Client.reason(failure)).isEqualTo("LIMIT_EXCEEDED");
  }

  @Test
  void zonelessTime_refusedWithFieldAndAdvice() {
    Position position =
        Position.newBuilder()
            .setAtOrAfter(TimePoint.newBuilder().setRfc3339("2024-03-09T14:00:00"))
            .build();
    StatusRuntimeException failure =
        Client.failure(() -> ask(query(topic, atOrAfter(T)), query(topic, position)));
    assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(failure.getStatus().getDescription())
        .isEqualTo(
            "queries[1].position.at_or_after.rfc3339: '2024-03-09T14:00:00' has no offset; add one"
                + " such as +08:00, or use local_time with a zone");
    ErrorInfo info = Client.detail(failure, ErrorInfo.class);
    assertThat(info.getDomain()).isEqualTo("whence");
    assertThat(info.getReason()).isEqualTo("INVALID_TIME");
    assertThat(info.getMetadataMap())
        .containsEntry("field", "queries[1].position.at_or_after.rfc3339")
        .containsEntry("value", "2024-03-09T14:00:00");
    assertThat(Client.detail(failure, BadRequest.class).getFieldViolations(0).getField())
        .isEqualTo("queries[1].position.at_or_after.rfc3339");
  }

  @Test
  void brokenRules_refusedByField() {
    assertRefused(request(), "queries: ");
    assertRefused(request(query("", atOrAfter(T))), "queries[0].topic: ");
    assertRefused(request(query(topic, atOrAfter(T), 0, -1)), "queries[0].partitions[1]: ");
    assertRefused(request(query(topic, Position.getDefaultInstance())), "queries[0].position: ");
    assertRefused(
        request(
            query(
                topic, Position.newBuilder().setAllAfter(TimePoint.getDefaultInstance()).build())),
        "queries[0].position.all_after: ");
    assertRefused(
        request(query(topic, atOrAfter(T))).toBuilder().setIsolationLevelValue(9).build(),
        "isolation_level: ");
  }

  private void assertRefused(ResolveTimestampRequest request, String start) {
    StatusRuntimeException failure =
        Client.failure(() -> client.resolver.resolveTimestamp(request));
    assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(failure.getStatus().getDescription()).startsWith(start);
    assertThat(Client.detail(failure, ErrorInfo.class).getMetadataMap()).containsKey("field");
  }

  @Test
  void hugeValue_cutInError() {
    Position position =
        Position.newBuilder()
            .setAtOrAfter(TimePoint.newBuilder().setRfc3339("x".repeat(1_000_000)))
            .build();
    StatusRuntimeException failure = Client.failure(() -> ask(query(topic, position)));
    assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(failure).hasMessageContaining("(1000000 characters)");
  }

  @Test
  void unknownSource_failsCall() {
    StatusRuntimeException failure =
        Client.failure(
            () ->
                client.resolver.resolveTimestamp(
                    request(query(topic, atOrAfter(T))).toBuilder().setSource("mars").build()));
    assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.NOT_FOUND);
    assertThat(Client.reason(failure)).isEqualTo("UNKNOWN_SOURCE");
  }

  @Test
  void window_rangeAndCounts() {
    ResolveWindowResponse response = window(T + 6, T + 21);
    WindowAnswer answer = response.getResults(0).getAnswers(0);
    assertThat(response.getResults(0).getFromMs()).isEqualTo(T + 6);
    assertThat(response.getResults(0).getToMs()).isEqualTo(T + 21);
    assertThat(answer.getRange())
        .isEqualTo(OffsetRange.newBuilder().setStartOffset(1).setEndOffset(4).build());
    assertThat(answer.getRecordCount()).isEqualTo(3);
    assertThat(answer.getOutsideCount()).isEqualTo(1);
    assertThat(answer.getFirstRecord().getOffset()).isEqualTo(1);
    assertThat(answer.getLastRecord().getOffset()).isEqualTo(3);
  }

  @Test
  void windowWithNothing_noRange() {
    WindowAnswer answer = window(T + 11, T + 12).getResults(0).getAnswers(0);
    assertThat(answer.getOutcome()).isEqualTo(Outcome.OUTCOME_NONE_IN_WINDOW);
    assertThat(answer.hasRange()).isFalse();
  }

  @Test
  void windowBackwards_refused() {
    StatusRuntimeException failure = Client.failure(() -> window(T + 1, T));
    assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(failure.getStatus().getDescription()).startsWith("queries[0].to: ");
  }

  @Test
  void offsets_toRecords() {
    ResolveOffsetResponse response =
        client.resolver.resolveOffset(
            ResolveOffsetRequest.newBuilder()
                .setIsolationLevel(IsolationLevel.ISOLATION_LEVEL_READ_COMMITTED)
                .addQueries(
                    OffsetQuery.newBuilder().setTopic(topic).addAllOffsets(List.of(3L, 9L, 4L)))
                .addQueries(OffsetQuery.newBuilder().setTopic("nowhere").addOffsets(0))
                .build());
    assertThat(response.getResults(0).getBounds().getEndOffset()).isEqualTo(5);
    assertThat(response.getResults(0).getAnswersList())
        .extracting(answer -> answer.getOutcome())
        .containsExactly(Outcome.OUTCOME_FOUND, Outcome.OUTCOME_AFTER_END, Outcome.OUTCOME_FOUND);
    assertThat(response.getResults(0).getAnswers(0).getExact()).isTrue();
    assertThat(response.getResults(0).getAnswers(0).getRecord().getTimestampMs()).isEqualTo(T + 20);
    assertThat(response.getResults(0).getAnswers(2).getFutureTimestamp()).isTrue();
    assertThat(response.getResults(1).getError().getReason())
        .isEqualTo(ErrorReason.ERROR_REASON_UNKNOWN_TOPIC);
  }

  private ResolveWindowResponse window(long fromMs, long toMs) {
    return client.resolver.resolveWindow(
        ResolveWindowRequest.newBuilder()
            .addQueries(
                WindowQuery.newBuilder()
                    .setTopic(topic)
                    .addPartitions(0)
                    .setFrom(epochMs(fromMs))
                    .setTo(epochMs(toMs)))
            .build());
  }

  private TimestampAnswer answer(Position position) {
    return ask(query(topic, position, 0)).getResults(0).getAnswers(0);
  }

  private ResolveTimestampResponse ask(TimestampQuery... queries) {
    return client.resolver.resolveTimestamp(request(queries));
  }

  private static ResolveTimestampRequest request(TimestampQuery... queries) {
    return ResolveTimestampRequest.newBuilder().addAllQueries(List.of(queries)).build();
  }

  static TimestampQuery query(String topic, Position position, int... partitions) {
    TimestampQuery.Builder query =
        TimestampQuery.newBuilder().setTopic(topic).setPosition(position);
    for (int partition : partitions) {
      query.addPartitions(partition);
    }
    return query.build();
  }

  static Position atOrAfter(long ms) {
    return Position.newBuilder().setAtOrAfter(epochMs(ms)).build();
  }

  static TimePoint epochMs(long ms) {
    return TimePoint.newBuilder().setEpochMs(ms).build();
  }
}
