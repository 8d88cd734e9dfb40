package io.whence.cli;

import io.whence.cli.TextTable.Cell;
import io.whence.v1.AppliedReset;
import io.whence.v1.ApplyResetResponse;
import io.whence.v1.PlanOutcome;
import io.whence.v1.PlanResetResponse;
import io.whence.v1.PlannedReset;
import java.util.ArrayList;
import java.util.List;

/** Prints what a reset would do, and what it did. Immutable. */
public record PlanTable(OutputOptions output, TimeDisplay times) {

  /** Counts the partitions that could not be planned. */
  static void count(PlanResetResponse plan, Tally tally) {
    for (PlannedReset reset : plan.getPartitionsList()) {
      if (reset.getOutcome() == PlanOutcome.PLAN_OUTCOME_FAILED || reset.hasError()) {
        tally.failed(
            "group "
                + plan.getGroup()
                + ", "
                + reset.getTopic()
                + " partition "
                + reset.getPartition(),
            reset.getError());
      }
    }
  }

  /** Prints a plan; {@code target} says in words where it leads. */
  public void print(PlanResetResponse plan, String target) {
    String moment =
        plan.hasTargetTimestampMs() ? " " + times.moment(plan.getTargetTimestampMs()) : "";
    output.line(
        "plan for group "
            + DisplayText.printable(plan.getGroup())
            + ": "
            + DisplayText.printable(target)
            + moment,
        Ink.BOLD);
    output.line(
        "  source "
            + DisplayText.printable(plan.getSource())
            + ", can be applied until "
            + times.text(plan.getExpiresAtMs()),
        Ink.DIM);
    String common = commonReason(plan);
    if (!common.isEmpty()) {
      output.line("  move: " + DisplayText.printable(common));
    }
    output.line("");
    output.table(table(plan, common));
    output.line("");
    printNotes(plan);
  }

  /** Prints what was committed, as read back. */
  void print(ApplyResetResponse applied) {
    output.line(
        "reset "
            + TopicWords.count(applied.getPartitionsCount(), "partition")
            + " of group "
            + DisplayText.printable(applied.getGroup()),
        Ink.BOLD);
    output.line("");
    if (applied.getPartitionsCount() == 0) {
      return;
    }
    TextTable table =
        new TextTable(
            TextTable.left("topic"),
            TextTable.right("partition"),
            TextTable.right("before"),
            TextTable.right("now"));
    for (AppliedReset reset : applied.getPartitionsList()) {
      table.add(
          reset.getTopic(),
          reset.getPartition(),
          Cells.number(reset.hasOffsetBefore(), reset.getOffsetBefore()),
          reset.getOffsetAfter());
    }
    output.table(table);
    output.line("");
  }

  /** Returns the reason that all moves share, so that no row needs to repeat it; or empty text. */
  private static String commonReason(PlanResetResponse plan) {
    List<String> reasons =
        plan.getPartitionsList().stream()
            .filter(reset -> reset.getOutcome() == PlanOutcome.PLAN_OUTCOME_MOVE)
            .map(PlannedReset::getReason)
            .distinct()
            .toList();
    return reasons.size() == 1 ? reasons.get(0) : "";
  }

  private TextTable table(PlanResetResponse plan, String commonReason) {
    TextTable table =
        new TextTable(
            TextTable.left("topic"),
            TextTable.right("partition"),
            TextTable.left("outcome"),
            TextTable.right("before"),
            TextTable.right("planned"),
            TextTable.right("skipped"),
            TextTable.right("replayed"),
            TextTable.right("distance"),
            TextTable.left("record time (" + times.zoneName() + ")"),
            TextTable.left("reason"));
    long skipped = 0;
    long replayed = 0;
    for (PlannedReset reset : plan.getPartitionsList()) {
      skipped += reset.getRecordsSkipped();
      replayed += reset.getRecordsReplayed();
      table.add(
          reset.getTopic(),
          reset.getPartition(),
          outcome(reset.getOutcome()),
          Cells.number(reset.hasOffsetBefore(), reset.getOffsetBefore()),
          Cells.number(reset.hasPlannedOffset(), reset.getPlannedOffset()),
          Cells.number(reset.hasRecordsSkipped(), reset.getRecordsSkipped()),
          Cells.number(reset.hasRecordsReplayed(), reset.getRecordsReplayed()),
          reset.hasTimeDistanceMs() ? TimeDisplay.distance(reset.getTimeDistanceMs()) : "",
          Cells.time(reset.getRecord(), times),
          isInTable(reset, commonReason) ? reset.getReason() : "");
    }
    table.sum("sum", plan.getPartitionsCount(), "", "", "", skipped, replayed, "", "", "");
    return table;
  }

  /** The reason of a fall-back is a sentence: it has a line of its own under the table. */
  private static boolean isInTable(PlannedReset reset, String commonReason) {
    return reset.getOutcome() != PlanOutcome.PLAN_OUTCOME_FALLBACK
        && !reset.getReason().equals(commonReason);
  }

  private void printNotes(PlanResetResponse plan) {
    boolean any = false;
    for (PlannedReset reset : plan.getPartitionsList()) {
      List<String> notes = new ArrayList<>(reset.getWarningsList());
      if (reset.getOutcome() == PlanOutcome.PLAN_OUTCOME_FALLBACK) {
        notes.add(0, reset.getReason());
      }
      for (String note : notes) {
        output.line("  " + where(reset) + ": " + DisplayText.printable(note), Ink.YELLOW);
        any = true;
      }
    }
    if (any) {
      output.line("");
    }
  }

  private static String where(PlannedReset reset) {
    return DisplayText.printable(reset.getTopic()) + " partition " + reset.getPartition();
  }

  private static Cell outcome(PlanOutcome outcome) {
    Ink ink =
        switch (outcome) {
          case PLAN_OUTCOME_MOVE, PLAN_OUTCOME_UNCHANGED -> Ink.GREEN;
          case PLAN_OUTCOME_FAILED -> Ink.RED;
          default -> Ink.YELLOW;
        };
    return new Cell(Cells.words(outcome, "PLAN_OUTCOME_"), ink);
  }
}
