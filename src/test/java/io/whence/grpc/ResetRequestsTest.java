package io.whence.grpc;

import static io.whence.grpc.ResetCalls.LATEST;
import static io.whence.grpc.ResetCalls.at;
import static io.whence.grpc.ResetCalls.atMs;
import static io.whence.grpc.ResetCalls.offset;
import static io.whence.grpc.ResetCalls.offsets;
import static io.whence.grpc.ResetCalls.request;
import static io.whence.grpc.ResetCalls.topic;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.Duration;
import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import io.whence.v1.PlanResetRequest;
import io.whence.v1.ResetTarget;
import io.whence.v1.ResetToCurrent;
import io.whence.v1.TimePoint;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What PlanReset and ApplyReset refuse before any work. */
class ResetRequestsTest {
  @TempDir Path directory;
  private ResetCalls calls;

  @BeforeEach
  void open() throws IOException {
    calls = new ResetCalls(directory);
  }

  @AfterEach
  void close() throws IOException {
    calls.close();
  }

  @Test
  void tooManyPartitions_areRefused() {
    calls.commit("g", 0, 0);
    calls.commit("g", 1, 0);
    CallScope scope = calls.scope("PlanReset", 1);

    for (PlanResetRequest request :
        List.of(
            request(LATEST).build(),
            request(LATEST, topic("orders")).build(),
            request(LATEST, topic("orders", 0), topic("orders", 1)).build(),
            request(offsets(offset(0, 1), offset(1, 1))).build())) {
      WhenceException failure =
          catchThrowableOfType(WhenceException.class, () -> calls.planner.answer(request, scope));
      assertThat(failure.reason()).isEqualTo(ErrorReason.LIMIT_EXCEEDED);
    }
  }

  static Stream<Arguments> badRequests() {
    ResetTarget current =
        ResetTarget.newBuilder().setCurrent(ResetToCurrent.getDefaultInstance()).build();
    TimePoint.Builder ago = TimePoint.newBuilder().setAgo(Duration.newBuilder().setSeconds(-1));
    return Stream.of(
        Arguments.of(request(LATEST).setGroup(""), "group"),
        Arguments.of(request(ResetTarget.getDefaultInstance(), topic("orders")), "target"),
        Arguments.of(request(atMs(1_700_000_000), topic("orders")), "target.at_or_after.epoch_ms"),
        Arguments.of(request(at(ago), topic("orders")), "target.at_or_after.ago"),
        Arguments.of(
            request(ResetTarget.newBuilder().setShiftBy(0).build(), topic("orders")),
            "target.shift_by"),
        Arguments.of(
            request(ResetTarget.newBuilder().setOffset(-1).build(), topic("orders")),
            "target.offset"),
        Arguments.of(
            request(ResetTarget.newBuilder().setGroup("").build(), topic("orders")),
            "target.group"),
        Arguments.of(request(offsets()), "target.offsets.offsets"),
        Arguments.of(request(offsets(offset(0, -1))), "target.offsets.offsets[0].offset"),
        Arguments.of(request(offsets(offset(-1, 1))), "target.offsets.offsets[0].partition"),
        Arguments.of(request(offsets(offset(0, 1), offset(0, 1))), "target.offsets.offsets[1]"),
        Arguments.of(request(offsets(offset(0, 1)), topic("orders")), "topics"),
        Arguments.of(request(LATEST), "topics"),
        Arguments.of(request(current), "topics"),
        Arguments.of(request(LATEST, topic("")), "topics[0].topic"),
        Arguments.of(request(LATEST, topic("orders", 0, -1)), "topics[0].partitions[1]"),
        Arguments.of(request(LATEST, topic("orders"), topic("orders", 2)), "topics[1]"),
        Arguments.of(
            request(LATEST, topic("orders")).setIsolationLevelValue(7), "isolation_level"));
  }

  @ParameterizedTest
  @MethodSource("badRequests")
  void badPlanRequest_failure_namesTheField(PlanResetRequest.Builder request, String field) {
    WhenceException failure =
        catchThrowableOfType(
            WhenceException.class,
            () -> calls.planner.answer(request.build(), calls.scope("PlanReset", 100)));

    assertThat(failure.reason()).isIn(ErrorReason.INVALID_ARGUMENT, ErrorReason.INVALID_TIME);
    assertThat(failure.metadata()).containsEntry("field", field);
  }

  @Test
  void badApplyRequest_failure_namesTheField() {
    String planId = calls.plan(LATEST, topic("orders", 0)).getPlanId();

    assertThat(calls.refusal("", decision -> {}).metadata()).containsEntry("field", "plan_id");
    assertThat(calls.refusal(planId, d -> d.setWriter("x".repeat(256))).metadata())
        .containsEntry("field", "writer");
    assertThat(calls.refusal(planId, d -> d.setFallbacksValue(9)).metadata())
        .containsEntry("field", "fallbacks");
    assertThat(calls.refusal(planId, d -> d.addAcceptedFallbacks(topic(""))).metadata())
        .containsEntry("field", "accepted_fallbacks[0].topic");
  }
}
