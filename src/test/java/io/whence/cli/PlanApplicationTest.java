package io.whence.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.rpc.Code;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.whence.v1.ApplyResetRequest;
import io.whence.v1.ApplyResetResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class PlanApplicationTest {
  private static final ApplyResetResponse APPLIED =
      ApplyResetResponse.newBuilder().setGroup("billing").build();

  private final List<Duration> pauses = new ArrayList<>();
  private FakeServer server;
  private Client client;

  @BeforeEach
  void startServer() throws IOException {
    server = FakeServer.start();
    client = Client.open(server.address(), Duration.ofSeconds(30));
  }

  @AfterEach
  void stopServer() {
    Thread.interrupted();
    client.close();
    server.close();
  }

  @ParameterizedTest
  @EnumSource(
      value = Status.Code.class,
      names = {"DEADLINE_EXCEEDED", "UNAVAILABLE", "CANCELLED", "UNKNOWN", "INTERNAL"})
  void unknownOutcome_samePlanIsAppliedAgain(Status.Code code) {
    server.fail(code.toStatus().asRuntimeException());
    server.fail(code.toStatus().asRuntimeException());
    server.answer(APPLIED);

    assertThat(apply("billing")).isEqualTo(APPLIED);
    assertThat(server.requests(ApplyResetRequest.class))
        .extracting(ApplyResetRequest::getPlanId)
        .containsExactly("p", "p", "p");
    assertThat(pauses).containsExactly(Duration.ofMillis(250), Duration.ofMillis(500));
  }

  @Test
  void deadlineOfTheServer_isUnknownToo() {
    server.fail(failure(Code.DEADLINE_EXCEEDED, "DEADLINE_EXCEEDED"));
    server.answer(APPLIED);

    assertThat(apply("billing")).isEqualTo(APPLIED);
  }

  @Test
  void clusterThatDidNotSay_isUnknownToo() {
    server.fail(
        FakeServer.failure(
            Code.UNAVAILABLE, "LEADER_UNAVAILABLE", "away", Map.of("outcome", "unknown")));
    server.fail(failure(Code.UNAVAILABLE, "LEADER_UNAVAILABLE"));
    server.answer(APPLIED);

    assertThat(apply("billing")).isEqualTo(APPLIED);
    assertThat(pauses).hasSize(2);
  }

  @Test
  void neverKnown_saysSoAndHowToLook() {
    for (int i = 0; i < 5; i++) {
      server.fail(Status.UNAVAILABLE.withDescription("lost").asRuntimeException());
    }

    OutcomeUnknownException unknown =
        catchThrowableOfType(OutcomeUnknownException.class, () -> apply("it's billing"));

    assertThat(server.requests(ApplyResetRequest.class)).hasSize(5);
    assertThat(pauses).hasSize(4);
    Failure failure = Failure.of(unknown);
    assertThat(failure.exitCode()).isEqualTo(ExitCode.SERVER_FAILED);
    assertThat(failure.message())
        .isEqualTo(
            "the reset of group 'it's billing' may have been applied; look with"
                + " ./whence offsets 'it'\\''s billing' --source s --history 3");
    assertThat(failure.hint()).contains("lost");
  }

  @Test
  void planGoneAfterUnknownOutcome_isNoRefusal() {
    server.fail(Status.UNAVAILABLE.asRuntimeException());
    server.fail(failure(Code.NOT_FOUND, "UNKNOWN_PLAN"));

    OutcomeUnknownException unknown =
        catchThrowableOfType(OutcomeUnknownException.class, () -> apply("billing"));

    assertThat(Failure.of(unknown).exitCode()).isEqualTo(ExitCode.SERVER_FAILED);
    assertThat(Failure.of(unknown).message()).contains("may have been applied");
  }

  @ParameterizedTest
  @CsvSource({
    "UNAVAILABLE, DRAINING",
    "UNAVAILABLE, NOT_READY",
    "RESOURCE_EXHAUSTED, OVERLOADED",
  })
  void refusalOfTheCallAfterUnknownOutcome_goesOn(Code code, String reason) {
    server.fail(Status.UNAVAILABLE.asRuntimeException());
    server.fail(failure(code, reason));
    server.answer(APPLIED);

    assertThat(apply("billing")).isEqualTo(APPLIED);
  }

  @ParameterizedTest
  @CsvSource({
    "NOT_FOUND, UNKNOWN_PLAN, false",
    "UNAVAILABLE, DRAINING, false",
    "UNAVAILABLE, LEADER_UNAVAILABLE, false",
    "UNAVAILABLE, STORAGE_ERROR, false",
    "FAILED_PRECONDITION, PLAN_OUTDATED, false",
    "FAILED_PRECONDITION, PLAN_OUTDATED, true",
    "UNAVAILABLE, STORAGE_ERROR, true",
  })
  void knownRefusal_isGivenAtOnce(Code code, String reason, boolean afterUnknown) {
    if (afterUnknown) {
      server.fail(Status.UNAVAILABLE.asRuntimeException());
    }
    server.fail(failure(code, reason));

    CallFailedException refused =
        catchThrowableOfType(CallFailedException.class, () -> apply("billing"));

    assertThat(Failure.of(refused).reason()).isEqualTo(reason);
    assertThat(pauses).hasSize(afterUnknown ? 1 : 0);
  }

  @Test
  void noServer_nothingWasDone() {
    server.close();

    CallFailedException failed =
        catchThrowableOfType(CallFailedException.class, () -> apply("billing"));

    assertThat(Failure.of(failed).exitCode()).isEqualTo(ExitCode.UNREACHABLE);
    assertThat(pauses).isEmpty();
  }

  @Test
  void interruptedWhileWaiting_outcomeIsUnknown() {
    server.fail(Status.UNAVAILABLE.asRuntimeException());
    PlanApplication application =
        new PlanApplication(
            client,
            span -> {
              throw new InterruptedException();
            });

    OutcomeUnknownException unknown =
        catchThrowableOfType(
            OutcomeUnknownException.class,
            () -> application.apply("g", ApplyResetRequest.getDefaultInstance()));

    assertThat(unknown.advice()).endsWith("look with ./whence offsets g --history 3");
    assertThat(Thread.currentThread().isInterrupted()).isTrue();
  }

  private ApplyResetResponse apply(String group) {
    return new PlanApplication(client, pauses::add)
        .apply(group, ApplyResetRequest.newBuilder().setSource("s").setPlanId("p").build());
  }

  private static StatusRuntimeException failure(Code code, String reason) {
    return FakeServer.failure(code, reason, "why", Map.of());
  }
}
