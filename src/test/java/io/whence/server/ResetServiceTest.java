package io.whence.server;

import static io.whence.server.GroupClient.entry;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.whence.app.GrpcServerHandle;
import io.whence.v1.ApplyResetRequest;
import io.whence.v1.ApplyResetResponse;
import io.whence.v1.ChangeCause;
import io.whence.v1.FallbackChoice;
import io.whence.v1.OffsetChange;
import io.whence.v1.PlanResetRequest;
import io.whence.v1.PlanResetResponse;
import io.whence.v1.ResetTarget;
import io.whence.v1.TimePoint;
import jakarta.inject.Inject;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Resets over a real channel. */
@QuarkusTest
@TestProfile(ServerTestProfile.class)
class ResetServiceTest {
  private static final long T = ServerTestProfile.NOW_MS;
  private static int topics;

  @Inject GrpcServerHandle server;

  private Client client;
  private String topic;
  private GroupClient group;

  @BeforeEach
  void makeTopic() {
    client = new Client(server.port());
    topic = "resets-" + topics++;
    client.topic(topic, 3, T, T + 1, T + 2);
    group = new GroupClient(client, topic);
    group.commit(entry(topic, 0, 3));
  }

  @AfterEach
  void close() throws InterruptedException {
    client.close();
  }

  private PlanResetResponse plan(long timestampMs) {
    return client.groups.planReset(
        PlanResetRequest.newBuilder()
            .setGroup(topic)
            .setTarget(
                ResetTarget.newBuilder()
                    .setAtOrAfter(TimePoint.newBuilder().setEpochMs(timestampMs)))
            .build());
  }

  private ApplyResetResponse apply(PlanResetResponse plan, FallbackChoice choice) {
    return client.groups.applyReset(
        ApplyResetRequest.newBuilder().setPlanId(plan.getPlanId()).setFallbacks(choice).build());
  }

  @Test
  void plan_isAppliedOnceAndInTheHistory() {
    PlanResetResponse plan = plan(T + 1);

    ApplyResetResponse applied = apply(plan, FallbackChoice.FALLBACK_CHOICE_UNSPECIFIED);

    assertThat(applied.getPartitions(0).getOffsetBefore()).isEqualTo(3);
    assertThat(applied.getPartitions(0).getOffsetAfter()).isEqualTo(1);
    assertThat(apply(plan, FallbackChoice.FALLBACK_CHOICE_UNSPECIFIED)).isEqualTo(applied);
    OffsetChange change = group.fetch(topic, 0).getHistory(0);
    assertThat(change.getCause()).isEqualTo(ChangeCause.CHANGE_CAUSE_RESET);
    assertThat(change.getRequestId()).isEqualTo(plan.getPlanId());
    assertThat(change.getWriter()).startsWith("127.0.0.1:");
    assertThat(group.fetch(topic, 0).getHistoryCount()).isEqualTo(2);
  }

  @Test
  void commitAfterThePlan_isNotOverwritten() {
    PlanResetResponse plan = plan(T + 1);
    group.commit(entry(topic, 0, 2).setAllowRewind(true));

    StatusRuntimeException failure =
        Client.failure(() -> apply(plan, FallbackChoice.FALLBACK_CHOICE_UNSPECIFIED));

    assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.FAILED_PRECONDITION);
    assertThat(Client.reason(failure)).isEqualTo("PLAN_OUTDATED");
    assertThat(group.fetch(topic, 0).getCommitted().getNextOffset()).isEqualTo(2);
  }

  @Test
  void timeThatIsYetToCome_needsAYes() {
    group.commit(entry(topic, 0, 2).setAllowRewind(true));
    PlanResetResponse plan = plan(T + 100);

    StatusRuntimeException failure =
        Client.failure(() -> apply(plan, FallbackChoice.FALLBACK_CHOICE_UNSPECIFIED));

    assertThat(plan.getReady()).isFalse();
    assertThat(Client.reason(failure)).isEqualTo("FALLBACK_NOT_ACCEPTED");
    assertThat(apply(plan, FallbackChoice.FALLBACK_CHOICE_ACCEPT).getPartitions(0).getOffsetAfter())
        .isEqualTo(3);
  }
}
