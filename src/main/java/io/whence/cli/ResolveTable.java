package io.whence.cli;

import io.whence.cli.TextTable.Cell;
import io.whence.v1.Origin;
import io.whence.v1.Outcome;
import io.whence.v1.ResolveTimestampResponse;
import io.whence.v1.TimestampAnswer;
import io.whence.v1.TimestampQueryResult;
import java.util.Locale;

/** Prints the answers of one query of ResolveTimestamp. Immutable. */
record ResolveTable(OutputOptions output, TimeDisplay times) {
  /** Brokers look into one segment only; docs/kafka-source.md tells what that may hide. */
  private static final String BY_BROKER = "told by a broker";

  /** Counts the answers and failures of a query. */
  static void count(TimestampQueryResult result, Tally tally) {
    if (result.hasError()) {
      tally.failed("topic " + result.getTopic(), result.getError());
    }
    for (TimestampAnswer answer : result.getAnswersList()) {
      tally.add(answer.getOutcome());
      if (answer.hasError()) {
        tally.failed(result.getTopic() + " partition " + answer.getPartition(), answer.getError());
      }
    }
  }

  /** Prints one query: which instant was used, and the answer for each partition. */
  void print(
      ResolveTimestampResponse response,
      TimestampQueryResult result,
      String isolation,
      String note) {
    if (result.hasError()) {
      return;
    }
    String kind =
        result
            .getPositionKind()
            .name()
            .replaceFirst("^POSITION_KIND_", "")
            .toLowerCase(Locale.ROOT);
    String moment =
        result.hasTargetTimestampMs() ? " " + times.moment(result.getTargetTimestampMs()) : "";
    output.line(
        DisplayText.printable(result.getTopic()) + ": " + kind.replace('_', ' ') + moment,
        Ink.BOLD);
    if (!note.isEmpty()) {
      output.line("  " + note);
    }
    output.line(
        "  source " + DisplayText.printable(response.getSource()) + ", " + isolation, Ink.DIM);
    output.line("");
    output.table(table(result));
    output.line("");
  }

  private TextTable table(TimestampQueryResult result) {
    TextTable table =
        new TextTable(
            TextTable.right("partition"),
            TextTable.left("outcome"),
            TextTable.right("offset"),
            TextTable.left("record time (" + times.zoneName() + ")"),
            TextTable.right("distance"),
            TextTable.right("log start"),
            TextTable.right("log end"),
            TextTable.left("notes"));
    for (TimestampAnswer answer : result.getAnswersList()) {
      table.add(
          answer.getPartition(),
          Cells.outcome(answer.getOutcome()),
          answer.hasOffset()
              ? new Cell(String.valueOf(answer.getOffset()), Ink.BOLD)
              : Cells.none(),
          Cells.time(answer.getRecord(), times),
          answer.hasDistanceMs() ? TimeDisplay.distance(answer.getDistanceMs()) : "",
          answer.hasBounds() ? answer.getBounds().getLogStartOffset() : Cells.none(),
          answer.hasBounds() ? answer.getBounds().getEndOffset() : Cells.none(),
          Cells.notes(
              answer.getRecord(), answer.getStartCut(), answer.getFutureTimestamp(), more(answer)));
    }
    return table;
  }

  private static String more(TimestampAnswer answer) {
    boolean apart =
        answer.hasBoundaryOffset()
            && !(answer.hasOffset() && answer.getOffset() == answer.getBoundaryOffset());
    if (apart) {
      return "boundary " + answer.getBoundaryOffset();
    }
    String readOn = answer.getOutcome() == Outcome.OUTCOME_AFTER_END ? "read on at log end" : "";
    if (answer.getOrigin() != Origin.ORIGIN_BROKER) {
      return readOn;
    }
    return readOn.isEmpty() ? BY_BROKER : BY_BROKER + ", " + readOn;
  }
}
