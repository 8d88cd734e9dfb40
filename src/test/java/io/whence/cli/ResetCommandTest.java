package io.whence.cli;

import static io.whence.cli.ResetAnswers.applied;
import static io.whence.cli.ResetAnswers.fallback;
import static io.whence.cli.ResetAnswers.move;
import static io.whence.cli.ResetAnswers.plan;
import static io.whence.cli.ResetAnswers.reset;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.rpc.Code;
import io.grpc.Status;
import io.whence.v1.AppliedReset;
import io.whence.v1.ApplyResetRequest;
import io.whence.v1.ErrorReason;
import io.whence.v1.FallbackChoice;
import io.whence.v1.PartitionError;
import io.whence.v1.PlanOutcome;
import io.whence.v1.PlanResetRequest;
import io.whence.v1.RecordInfo;
import io.whence.v1.TopicPartitions;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ResetCommandTest extends CommandFixture {
  @Test
  void withoutTerminal_showsPlanAndIsRefused() {
    server.answer(
        plan(
                "billing",
                move(0, 50, 42)
                    .setRecordsSkipped(0)
                    .setRecordsReplayed(8)
                    .setTimeDistanceMs(-90_000)
                    .setRecord(RecordInfo.newBuilder().setTimestampMs(1_709_964_000_113L))
                    .setReason("the first record at or after")
                    .addWarnings("timestamps are out of order here"),
                reset(1, PlanOutcome.PLAN_OUTCOME_SKIP).setReason("nothing committed"))
            .setTargetTimestampMs(1_709_964_000_000L)
            .build());

    String line =
        "reset billing --topic orders:0,1 --to-time 2024-03-09T14:00 --zone Asia/Shanghai";
    assertThat(run(line.split(" "))).isEqualTo(2);
    assertThat(err.toString())
        .contains("nothing was done: add --apply, as there is no terminal to ask at, or --dry-run");
    assertThat(out.toString())
        .contains(
            "plan for group billing: at or after 2024-03-09T14:00:00.000+08:00 = 2024-03-09T0")
        .containsPattern(
            "orders +0 +move +50 +42 +0 +8 +-90.000 s +2024-03-09T14:00:00.113\\+08:00\\n")
        .contains("  move: the first record at or after\n")
        .containsPattern("orders +1 +skip +– +– +– +– +– +nothing committed\\n")
        .containsPattern("sum +2 +0 +8\\n")
        .contains("orders partition 0: timestamps are out of order here");
    PlanResetRequest request = server.request(PlanResetRequest.class);
    assertThat(request.getTopics(0).getPartitionsList()).containsExactly(0, 1);
    assertThat(request.getTarget().getAtOrAfter().getLocalTime().getZone())
        .isEqualTo("Asia/Shanghai");
    assertThat(server.requests(ApplyResetRequest.class)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--by-duration 2h|at_or_after {   ago {     seconds: 7200   } }",
        "--to-time 2h|at_or_after {   ago {     seconds: 7200   } }",
        "--to-time 1709964000000|at_or_after {   epoch_ms: 1709964000000 }",
        "--to-earliest|earliest { }",
        "--to-latest|latest { }",
        "--to-max-timestamp|max_timestamp { }",
        "--to-offset 9007199254740993|offset: 9007199254740993",
        "--shift-by -10|shift_by: -10",
        "--shift-by 10|shift_by: 10",
        "--to-current|current { }",
        "--to-group other|group: \"other\"",
        "--from-source old|source_group {   source: \"old\" }",
        "--from-source old --from-group h|source_group {   source: \"old\"   group: \"h\" }",
      })
  void eachTarget_sentAsGiven(String options, String target) {
    server.answer(plan("g", move(0, 1, 2)).build());

    assertThat(run(("reset g --dry-run " + options).split(" "))).isZero();
    String sent = server.request(PlanResetRequest.class).getTarget().toString();
    assertThat(sent.strip().replace("\n", " ")).isEqualTo(target);
  }

  @Test
  void apply_appliesWithoutAskingAndShowsWhatWasReadBack() {
    server.answer(plan("billing", move(0, 50, 42)).build());
    server.answer(applied("billing", AppliedReset.newBuilder().setOffsetBefore(50)));

    assertThat(run("reset", "billing", "--to-offset", "42", "--apply", "--writer", "ann")).isZero();
    ApplyResetRequest request = server.request(ApplyResetRequest.class);
    assertThat(request.getPlanId()).isEqualTo("plan-billing");
    assertThat(request.getWriter()).isEqualTo("ann");
    assertThat(request.getFallbacks()).isEqualTo(FallbackChoice.FALLBACK_CHOICE_UNSPECIFIED);
    assertThat(out.toString())
        .contains("reset 1 partition of group billing")
        .containsPattern("orders +0 +50 +42\\n");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void confirmedAtTerminal_asksOnStandardErrorAndApplies() {
    server.answer(plan("billing", move(0, 50, 42)).build());
    server.answer(applied("billing", AppliedReset.newBuilder()));
    type("y\n");

    assertThat(run("reset", "billing", "--to-offset", "42")).isZero();
    assertThat(err.toString())
        .isEqualTo("this moves 1 partition of group 'billing'. Go on? [y/N] ");
    assertThat(server.requests(ApplyResetRequest.class)).hasSize(1);
  }

  @Test
  void declinedAtTerminal_exit2AndNothingApplied() {
    server.answer(plan("billing", move(0, 50, 42)).build());
    type("n\n");

    assertThat(run("reset", "billing", "--to-offset", "42")).isEqualTo(2);
    assertThat(err.toString()).contains("nothing was done");
    assertThat(server.requests(ApplyResetRequest.class)).isEmpty();
  }

  @Test
  void dryRunAtTerminal_asksNothing() {
    server.answer(plan("billing", fallback(0)).build());
    type("y\n");

    assertThat(run("reset", "billing", "--to-offset", "42", "--dry-run")).isZero();
    assertThat(err.toString()).isEmpty();
    assertThat(out.toString()).contains("  orders partition 0: nothing at or after\n");
    assertThat(server.requests(ApplyResetRequest.class)).isEmpty();
  }

  @Test
  void fallbacksAtTerminal_askedOneByOne() {
    server.answer(plan("billing", move(0, 50, 42), fallback(1), fallback(2)).build());
    server.answer(applied("billing", AppliedReset.newBuilder()));
    type("yes\nn\ny\n");

    assertThat(run("reset", "billing", "--by-duration", "1h")).isZero();
    assertThat(err.toString())
        .contains("orders partition 1: nothing at or after. Go to 812? [y/N] ")
        .contains("orders partition 2: nothing at or after. Go to 812? [y/N] ")
        .contains("this moves 2 partitions of group 'billing'. Go on? [y/N] ");
    ApplyResetRequest request = server.request(ApplyResetRequest.class);
    assertThat(request.getFallbacks()).isEqualTo(FallbackChoice.FALLBACK_CHOICE_LEAVE_OUT);
    assertThat(request.getAcceptedFallbacksList())
        .containsExactly(TopicPartitions.newBuilder().setTopic("orders").addPartitions(1).build());
  }

  @Test
  void fallbackWithoutDecision_exit2AndNothingApplied() {
    server.answer(plan("billing", move(0, 50, 42), fallback(1)).build());

    assertThat(run("reset", "billing", "--by-duration", "1h", "--apply")).isEqualTo(2);
    assertThat(err.toString())
        .contains("1 fall-back without a yes (orders:1); nothing was done")
        .contains("--leave-out-fallbacks");
    assertThat(server.requests(ApplyResetRequest.class)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--accept-fallbacks|ACCEPT|",
        "--leave-out-fallbacks|LEAVE_OUT|",
        "--accept-fallback orders:1|UNSPECIFIED|1",
        "--accept-fallback orders|UNSPECIFIED|1",
        "--accept-fallback orders:1 --leave-out-fallbacks|LEAVE_OUT|1"
      })
  void fallbackDecidedByOption_sentWithoutAsking(String options, String choice, Integer named) {
    server.answer(plan("billing", fallback(1)).build());
    server.answer(applied("billing", AppliedReset.newBuilder()));

    assertThat(run(("reset billing --to-latest --apply " + options).split(" "))).isZero();
    ApplyResetRequest request = server.request(ApplyResetRequest.class);
    assertThat(request.getFallbacks().name()).isEqualTo("FALLBACK_CHOICE_" + choice);
    assertThat(request.getAcceptedFallbacksCount()).isEqualTo(named == null ? 0 : 1);
    if (named != null) {
      assertThat(request.getAcceptedFallbacks(0).getPartitionsList()).containsExactly(named);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--apply --accept-fallback other|the plan has no topic 'other'",
        "--apply --accept-fallback orders:1,7|the plan has no partition 7 of topic 'orders'",
        "--apply --accept-fallback orders:7 --accept-fallbacks|no partition 7 of topic 'orders'",
        "--dry-run --accept-fallback order:1|the plan has no topic 'order'",
      })
  void fallbackAcceptedThatNoPlanHas_exit2AndNothingApplied(String options, String message) {
    server.answer(plan("billing", fallback(1)).build());

    assertThat(run(("reset billing --to-latest " + options).split(" "))).isEqualTo(2);
    assertThat(err.toString()).contains("--accept-fallback: ", message);
    assertThat(server.requests(ApplyResetRequest.class)).isEmpty();
  }

  @Test
  void partitionNotPlanned_exit1AndNothingApplied() {
    server.answer(
        plan(
                "billing",
                move(0, 50, 42),
                reset(9, PlanOutcome.PLAN_OUTCOME_FAILED)
                    .setError(
                        PartitionError.newBuilder()
                            .setReason(ErrorReason.ERROR_REASON_UNKNOWN_PARTITION)
                            .setMessage("orders has 9 partitions")))
            .build());

    assertThat(run("reset", "billing", "--to-earliest", "--apply")).isEqualTo(1);
    assertThat(err.toString())
        .contains("group billing, orders partition 9: orders has 9 partitions (UNKNOWN_PARTITION)")
        .contains("nothing was changed");
    assertThat(server.requests(ApplyResetRequest.class)).isEmpty();
  }

  @Test
  void nothingToPlan_exit4() {
    server.answer(plan("billing").build());

    assertThat(run("reset", "billing", "--to-earliest", "--apply")).isEqualTo(4);
    assertThat(err.toString()).contains("no partition to reset");
    assertThat(server.requests(ApplyResetRequest.class)).isEmpty();
  }

  @Test
  void movedSince_exit2AndSaysToPlanAgain() {
    server.answer(plan("billing", move(0, 50, 42)).build());
    server.fail(
        FakeServer.failure(
            Code.FAILED_PRECONDITION, "PLAN_OUTDATED", "orders 0 was 50, is 51", Map.of()));

    assertThat(run("reset", "billing", "--to-earliest", "--apply")).isEqualTo(2);
    assertThat(err.toString()).contains("orders 0 was 50, is 51", "PLAN_OUTDATED", "plan again");
  }

  @Test
  void answerLost_appliedAgainByTheSamePlan() {
    server.answer(plan("billing", move(0, 50, 42)).build());
    server.fail(Status.UNAVAILABLE.asRuntimeException());
    server.answer(applied("billing", AppliedReset.newBuilder().setOffsetBefore(50)));

    assertThat(run("reset", "billing", "--to-earliest", "--apply")).isZero();
    assertThat(server.requests(ApplyResetRequest.class))
        .extracting(ApplyResetRequest::getPlanId)
        .containsExactly("plan-billing", "plan-billing");
    assertThat(out.toString()).contains("reset 1 partition of group billing");
  }

  @Test
  void answerLostAndPlanGone_exit5AndSaysHowToLook() {
    server.answer(plan("billing", move(0, 50, 42)).build());
    server.fail(Status.UNAVAILABLE.asRuntimeException());
    server.fail(FakeServer.failure(Code.NOT_FOUND, "UNKNOWN_PLAN", "no such plan", Map.of()));

    assertThat(run("reset", "billing", "--to-earliest", "--apply")).isEqualTo(5);
    assertThat(err.toString())
        .contains("may have been applied; look with ./whence offsets billing --history 3")
        .doesNotContain("nothing was changed");
  }

  @Test
  void export_printsCsvAndNothingElse() {
    server.answer(
        plan(
                "billing",
                move(0, 50, 9_007_199_254_740_993L),
                reset(1, PlanOutcome.PLAN_OUTCOME_UNCHANGED).setPlannedOffset(7),
                reset(2, PlanOutcome.PLAN_OUTCOME_SKIP),
                fallback(3),
                fallback(4))
            .build());

    assertThat(
            run(
                "reset",
                "billing",
                "--to-earliest",
                "--export",
                "--accept-fallback",
                "orders:3",
                "--leave-out-fallbacks"))
        .isZero();
    assertThat(out).hasToString("orders,0,9007199254740993\norders,1,7\norders,3,812\n");
    assertThat(server.requests(ApplyResetRequest.class)).isEmpty();
  }

  @Test
  void exportWithUndecidedFallback_exit2AndPrintsNothing() {
    server.answer(plan("billing", move(0, 50, 42), fallback(1)).build());

    assertThat(run("reset", "billing", "--to-earliest", "--export")).isEqualTo(2);
    assertThat(out).hasToString("");
  }

  @Test
  void json_oneDocumentWithOffsetsAsStrings() {
    server.answer(plan("g", move(0, 50, 9_007_199_254_740_993L)).build());
    type("y\n");

    assertThat(run("reset", "g", "--to-earliest", "--format", "json")).isZero();
    assertThat(out.toString())
        .startsWith("{")
        .contains("\"plannedOffset\": \"9007199254740993\"")
        .endsWith("}\n");
    assertThat(server.requests(ApplyResetRequest.class)).isEmpty();
  }

  @Test
  void jsonWithApply_documentOfWhatWasApplied() {
    server.answer(plan("g", move(0, 50, 42)).build());
    server.answer(applied("g", AppliedReset.newBuilder()));

    assertThat(run("reset", "g", "--to-earliest", "--format", "json", "--apply")).isZero();
    assertThat(out.toString()).contains("\"offsetAfter\": \"42\"").doesNotContain("planId");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "reset g|Missing",
        "reset g --to-earliest --to-latest|mutually exclusive",
        "reset g --to-earliest --apply --dry-run|mutually exclusive",
        "reset g --to-earliest --accept-fallbacks --leave-out-fallbacks|mutually exclusive",
        "reset g --to-earliest --accept-fallback :1|--accept-fallback ':1': write a topic",
        "reset --to-earliest|name the group",
        "reset g --to-time 2024-03-09T14:00|no time zone",
        "reset g --by-duration never|--by-duration 'never' is no span",
        "reset g --to-offset x|--to-offset",
        "reset g --from-file /nonexistent/f.csv|there is no file /nonexistent/f.csv",
        "reset g --from-file f.csv --topic t|no place beside --from-file"
      })
  void wrongCommandLine_exit2AndNothingSent(String line, String message) {
    assertThat(run(line.split(" "))).isEqualTo(2);
    assertThat(err.toString()).contains(message);
    assertThat(server.requests(Object.class)).isEmpty();
  }

  /** Answers at a terminal. */
  private void type(String text) {
    System.setProperty(ASKS, "true");
    System.setIn(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
  }
}
