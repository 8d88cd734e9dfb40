package io.whence.cli;

import io.whence.cli.TextTable.Cell;
import io.whence.v1.CommitOffsetResponse;
import io.whence.v1.CommitOutcome;
import io.whence.v1.CommitResult;

/** Prints what became of commits. Immutable. */
record CommitTable(OutputOptions output) {

  /** Counts the failures. */
  static void count(CommitOffsetResponse response, Tally tally) {
    for (CommitResult result : response.getResultsList()) {
      if (result.getOutcome() == CommitOutcome.COMMIT_OUTCOME_FAILED || result.hasError()) {
        tally.failed(result.getTopic() + " partition " + result.getPartition(), result.getError());
      }
    }
  }

  /** Prints the results: what was committed before, and what is now. */
  void print(CommitOffsetResponse response, String group, boolean dryRun) {
    output.line(
        "group "
            + DisplayText.printable(group)
            + ", source "
            + DisplayText.printable(response.getSource())
            + (dryRun ? ": dry run, nothing was committed" : ""),
        Ink.BOLD);
    if (response.getReplayed()) {
      output.line("  this is the result of an earlier request of this id", Ink.YELLOW);
    }
    output.line("");
    output.table(table(response));
  }

  private static TextTable table(CommitOffsetResponse response) {
    TextTable table =
        new TextTable(
            TextTable.left("topic"),
            TextTable.right("partition"),
            TextTable.left("outcome"),
            TextTable.right("before"),
            TextTable.right("now"));
    for (CommitResult result : response.getResultsList()) {
      table.add(
          result.getTopic(),
          result.getPartition(),
          outcome(result.getOutcome()),
          Cells.number(result.hasOffsetBefore(), result.getOffsetBefore()),
          Cells.number(result.hasOffsetNow(), result.getOffsetNow()));
    }
    return table;
  }

  private static Cell outcome(CommitOutcome outcome) {
    Ink ink =
        switch (outcome) {
          case COMMIT_OUTCOME_COMMITTED, COMMIT_OUTCOME_UNCHANGED -> Ink.GREEN;
          case COMMIT_OUTCOME_FAILED -> Ink.RED;
          default -> Ink.YELLOW;
        };
    return new Cell(Cells.words(outcome, "COMMIT_OUTCOME_"), ink);
  }
}
