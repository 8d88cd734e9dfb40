package io.whence.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.rpc.Code;
import io.whence.v1.ApplyResetRequest;
import io.whence.v1.ApplyResetResponse;
import io.whence.v1.PartitionOffset;
import io.whence.v1.PlanOutcome;
import io.whence.v1.PlanResetRequest;
import io.whence.v1.PlanResetResponse;
import io.whence.v1.PlannedReset;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResetFromFileTest extends CommandFixture {
  @TempDir private Path directory;

  @Test
  void threeColumns_planForTheNamedGroup() throws IOException {
    server.answer(plan("billing", PlanOutcome.PLAN_OUTCOME_MOVE));

    assertThat(
            run(
                "reset",
                "billing",
                "--dry-run",
                "--from-file",
                file("orders,0,42\n\n orders , 1 , 7\n")))
        .isZero();
    PlanResetRequest request = server.request(PlanResetRequest.class);
    assertThat(request.getGroup()).isEqualTo("billing");
    assertThat(request.getTopicsCount()).isZero();
    assertThat(request.getTarget().getOffsets().getOffsetsList())
        .containsExactly(offset(0, 42), offset(1, 7));
    assertThat(out.toString()).contains("plan for group billing: the offsets of ");
  }

  @Test
  void threeColumnsWithoutGroup_exit2() throws IOException {
    assertThat(run("reset", "--from-file", file("orders,0,42\n"))).isEqualTo(2);
    assertThat(err.toString()).contains("names no groups");
    assertThat(server.requests(Object.class)).isEmpty();
  }

  @Test
  void fourColumns_onePlanForEachGroupAndAllShownBeforeTheFirstIsApplied() throws IOException {
    server.answer(plan("a", PlanOutcome.PLAN_OUTCOME_MOVE));
    server.answer(plan("b", PlanOutcome.PLAN_OUTCOME_MOVE));
    server.answer(ApplyResetResponse.newBuilder().setGroup("a").build());
    server.answer(ApplyResetResponse.newBuilder().setGroup("b").build());

    assertThat(
            run(
                "reset",
                "--apply",
                "--from-file",
                file("a,orders,0,1\nb,orders,0,2\na,orders,1,3")))
        .isZero();
    assertThat(server.requests(PlanResetRequest.class))
        .extracting(PlanResetRequest::getGroup)
        .containsExactly("a", "b");
    assertThat(server.requests(PlanResetRequest.class).get(0).getTarget().getOffsets())
        .extracting(offsets -> offsets.getOffsetsList())
        .asList()
        .containsExactly(offset(0, 1), offset(1, 3));
    assertThat(server.requests(ApplyResetRequest.class))
        .extracting(ApplyResetRequest::getPlanId)
        .containsExactly("plan-a", "plan-b");
    assertThat(out.toString().indexOf("plan for group b"))
        .isPositive()
        .isLessThan(out.toString().indexOf("of group a"));
  }

  @Test
  void fourColumnsWithGroup_thatGroupOnly() throws IOException {
    server.answer(plan("b", PlanOutcome.PLAN_OUTCOME_MOVE));
    String file = file("a,orders,0,1\nb,orders,0,2\n");

    assertThat(run("reset", "b", "--from-file", file, "--dry-run")).isZero();
    assertThat(run("reset", "c", "--from-file", file)).isEqualTo(2);
    assertThat(server.requests(PlanResetRequest.class))
        .extracting(PlanResetRequest::getGroup)
        .containsExactly("b");
    assertThat(err.toString()).contains("has no offset of group 'c'");
  }

  @Test
  void fallbackOfOneGroup_nothingIsAppliedToAny() throws IOException {
    server.answer(plan("a", PlanOutcome.PLAN_OUTCOME_MOVE));
    server.answer(plan("b", PlanOutcome.PLAN_OUTCOME_FALLBACK));

    assertThat(run("reset", "--apply", "--from-file", file("a,orders,0,1\nb,orders,0,2\n")))
        .isEqualTo(2);
    assertThat(server.requests(ApplyResetRequest.class)).isEmpty();
  }

  @Test
  void secondApplyFails_saysWhichGroupWasReset() throws IOException {
    server.answer(plan("a", PlanOutcome.PLAN_OUTCOME_MOVE));
    server.answer(plan("b", PlanOutcome.PLAN_OUTCOME_MOVE));
    server.answer(ApplyResetResponse.newBuilder().setGroup("a").build());
    server.fail(FakeServer.failure(Code.FAILED_PRECONDITION, "PLAN_OUTDATED", "moved", Map.of()));

    assertThat(run("reset", "--apply", "--from-file", file("a,orders,0,1\nb,orders,0,2\n")))
        .isEqualTo(2);
    assertThat(err.toString()).contains("group a was reset before this failure", "PLAN_OUTDATED");
  }

  @Test
  void exportOfSeveralGroups_canBeReadBack() throws IOException {
    String lines = "\"a, b\",orders,0,42\nc,orders,0,42\n";
    server.answer(plan("a, b", PlanOutcome.PLAN_OUTCOME_MOVE));
    server.answer(plan("c", PlanOutcome.PLAN_OUTCOME_MOVE));

    assertThat(run("reset", "--export", "--from-file", file(lines))).isZero();
    assertThat(out).hasToString(lines);
  }

  @Test
  void jsonOfSeveralGroups_oneDocument() throws IOException {
    server.answer(plan("a", PlanOutcome.PLAN_OUTCOME_MOVE));
    server.answer(plan("b", PlanOutcome.PLAN_OUTCOME_MOVE));

    assertThat(
            run("reset", "--format", "json", "--from-file", file("a,orders,0,1\nb,orders,0,2\n")))
        .isZero();
    assertThat(out.toString()).startsWith("{\"results\": [").endsWith("]}\n");
    assertThat(out.toString()).contains("\"planId\": \"plan-a\"", "\"planId\": \"plan-b\"");
  }

  @Test
  void badLine_exit2AndNamesFileLineAndColumn() throws IOException {
    String file = file("orders,0,42\norders,one,42\n");

    assertThat(run("reset", "g", "--from-file", file)).isEqualTo(2);
    assertThat(err.toString()).contains(file + ", line 2, column 2: 'one' is no partition");
    assertThat(server.requests(Object.class)).isEmpty();
  }

  @Test
  void noText_exit2() throws IOException {
    Path file = directory.resolve("binary.csv");
    Files.write(file, new byte[] {(byte) 0xC3, (byte) 0x28});

    assertThat(run("reset", "g", "--from-file", file.toString())).isEqualTo(2);
    assertThat(run("reset", "g", "--from-file", directory.toString())).isEqualTo(2);
    assertThat(err.toString()).contains("is not UTF-8 text", "can't be read");
  }

  private String file(String lines) throws IOException {
    Path file = directory.resolve("offsets.csv");
    Files.writeString(file, lines, StandardCharsets.UTF_8);
    return file.toString();
  }

  private static PartitionOffset offset(int partition, long offset) {
    return PartitionOffset.newBuilder()
        .setTopic("orders")
        .setPartition(partition)
        .setOffset(offset)
        .build();
  }

  private static PlanResetResponse plan(String group, PlanOutcome outcome) {
    return PlanResetResponse.newBuilder()
        .setGroup(group)
        .setPlanId("plan-" + group)
        .addPartitions(
            PlannedReset.newBuilder().setTopic("orders").setOutcome(outcome).setPlannedOffset(42))
        .build();
  }
}
