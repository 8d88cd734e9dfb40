package io.whence.cli;

import io.whence.cli.TextTable.Cell;
import io.whence.v1.RecordInfo;
import io.whence.v1.WindowAnswer;
import io.whence.v1.WindowQueryResult;

/** Prints the answers of one query of ResolveWindow. Immutable. */
public record WindowTable(OutputOptions output, TimeDisplay times) {

  /** Counts the answers and failures of a query. */
  public static void count(WindowQueryResult result, Tally tally) {
    if (result.hasError()) {
      tally.failed("topic " + result.getTopic(), result.getError());
    }
    for (WindowAnswer answer : result.getAnswersList()) {
      tally.add(answer.getOutcome());
      if (answer.hasError()) {
        tally.failed(result.getTopic() + " partition " + answer.getPartition(), answer.getError());
      }
    }
  }

  /** Prints one query: which instants were used, the answer for each partition, and the sums. */
  public void print(String source, WindowQueryResult result, String isolation) {
    if (result.hasError()) {
      return;
    }
    output.line(
        DisplayText.printable(result.getTopic())
            + ": "
            + times.text(result.getFromMs())
            + " to "
            + times.text(result.getToMs()),
        Ink.BOLD);
    output.line(
        "  = ["
            + TimeDisplay.UTC.text(result.getFromMs())
            + ", "
            + TimeDisplay.UTC.text(result.getToMs())
            + "), "
            + result.getFromMs()
            + " to "
            + result.getToMs()
            + " ms",
        Ink.DIM);
    output.line("  source " + DisplayText.printable(source) + ", " + isolation, Ink.DIM);
    output.line("");
    output.table(table(result));
    output.line("");
  }

  private TextTable table(WindowQueryResult result) {
    boolean oneDay =
        times.isOneDay(result.getFromMs(), Math.max(result.getFromMs(), result.getToMs() - 1));
    String where = oneDay ? times.day(result.getFromMs()) : times.zoneName();
    TextTable table =
        new TextTable(
            TextTable.right("partition"),
            TextTable.left("outcome"),
            TextTable.right("start"),
            TextTable.right("end"),
            TextTable.right("records"),
            TextTable.right("outside"),
            TextTable.left("first (" + where + ")"),
            TextTable.left("last"),
            TextTable.left("notes"));
    Tally tally = new Tally();
    long records = 0;
    long outside = 0;
    for (WindowAnswer answer : result.getAnswersList()) {
      tally.add(answer.getOutcome());
      records += answer.getRecordCount();
      outside += answer.getOutsideCount();
      addRow(table, answer, oneDay);
    }
    String found = tally.found() + " of " + tally.answers() + " found";
    table.sum("sum", found, "", "", records, outside, "", "", "");
    return table;
  }

  private void addRow(TextTable table, WindowAnswer answer, boolean oneDay) {
    boolean found = answer.hasRange();
    table.add(
        answer.getPartition(),
        Cells.outcome(answer.getOutcome()),
        found
            ? new Cell(String.valueOf(answer.getRange().getStartOffset()), Ink.BOLD)
            : Cells.none(),
        found ? new Cell(String.valueOf(answer.getRange().getEndOffset()), Ink.BOLD) : Cells.none(),
        found ? answer.getRecordCount() : Cells.none(),
        found ? answer.getOutsideCount() : Cells.none(),
        found ? time(answer.getFirstRecord(), oneDay) : Cells.none(),
        found ? time(answer.getLastRecord(), oneDay) : Cells.none(),
        Cells.notes(answer.getFirstRecord(), answer.getStartCut(), false, ""));
  }

  private Cell time(RecordInfo record, boolean oneDay) {
    return record.hasTimestampMs() && oneDay
        ? Cell.of(times.clock(record.getTimestampMs()))
        : Cells.time(record, times);
  }
}
