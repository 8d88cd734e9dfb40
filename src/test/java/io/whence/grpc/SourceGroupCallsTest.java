package io.whence.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;

import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import io.whence.source.SourceCatalog;
import io.whence.v1.PlanOutcome;
import io.whence.v1.PlanResetRequest;
import io.whence.v1.PlanResetResponse;
import io.whence.v1.PlannedReset;
import io.whence.v1.ResetTarget;
import io.whence.v1.ResetToSourceGroup;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Plans to where a group of another source stands, over two real sources. */
class SourceGroupCallsTest {
  @TempDir Path directory;
  private ResetCalls old;
  private ResetCalls now;

  @BeforeEach
  void open() throws IOException {
    old = new ResetCalls(directory.resolve("old"), "old");
    now = new ResetCalls(directory.resolve("now"), "now");
  }

  @AfterEach
  void close() throws IOException {
    old.close();
    now.close();
  }

  private PlanResetResponse plan(String source, String group) {
    CallScope scope =
        new CallScope(
            "PlanReset",
            ResetCalls.NOW_MS,
            Caller.ofCurrentCall(),
            new OpenSources(
                new SourceCatalog(List.of(old.source, now.source)),
                Map.of("old", old.offsets, "now", now.offsets)),
            CallCancellation.ofCurrentCall(Duration.ofMinutes(2)),
            new CallLimits(100, 1, 1, 1, 1, Duration.ofMinutes(2)),
            CallListener.NOOP);
    return now.planner.answer(
        PlanResetRequest.newBuilder()
            .setSource("now")
            .setGroup("g")
            .setTarget(
                ResetTarget.newBuilder()
                    .setSourceGroup(
                        ResetToSourceGroup.newBuilder().setSource(source).setGroup(group)))
            .build(),
        scope);
  }

  private WhenceException refusal(String source, String group) {
    return catchThrowableOfType(WhenceException.class, () -> plan(source, group));
  }

  @Test
  void groupOfTheSameName_itsPartitions_byTime() {
    old.commit("g", 0, 2);
    old.commit("g", 1, 2);

    PlanResetResponse plan = plan("old", "");

    assertThat(plan.getReady()).isTrue();
    assertThat(plan.getSource()).isEqualTo("now");
    assertThat(plan.hasTargetTimestampMs()).isFalse();
    assertThat(plan.getPartitionsList())
        .extracting(PlannedReset::getPartition, PlannedReset::getPlannedOffset)
        .containsExactly(tuple(0, 2L), tuple(1, 1L));
    assertThat(plan.getPartitions(0).getOutcome()).isEqualTo(PlanOutcome.PLAN_OUTCOME_MOVE);

    assertThat(now.apply(plan.getPlanId(), decision -> {}).getPartitionsCount()).isEqualTo(2);
    assertThat(now.committed(0)).isEqualTo(2);
  }

  @Test
  void groupOfAnotherName_isNamed() {
    old.commit("h", 0, 3);

    assertThat(plan("old", "h").getPartitions(0).getPlannedOffset()).isEqualTo(3);
    assertThat(refusal("old", "").reason()).isEqualTo(ErrorReason.UNKNOWN_GROUP);
  }

  @Test
  void whatIsNoOtherSource_isRefused() {
    assertThat(refusal("", "").reason()).isEqualTo(ErrorReason.INVALID_ARGUMENT);
    assertThat(refusal("now", "").reason()).isEqualTo(ErrorReason.INVALID_ARGUMENT);
    assertThat(refusal("now", "")).hasMessageContaining("target.source_group.source");
    assertThat(refusal("never", "").reason()).isEqualTo(ErrorReason.UNKNOWN_SOURCE);
  }
}
