package io.whence.cli;

import io.whence.cli.TextTable.Cell;
import io.whence.v1.GetGroupLagResponse;
import io.whence.v1.GroupLag;
import io.whence.v1.LagStatus;
import io.whence.v1.LagSum;
import io.whence.v1.PartitionLag;
import java.util.ArrayList;
import java.util.List;

/** Prints how far groups are behind, in records and in time. Immutable. */
public record LagTable(OutputOptions output, TimeDisplay times) {

  /** Counts the failures. */
  static void count(GroupLag group, Tally tally) {
    if (group.hasError()) {
      tally.failed("group " + group.getGroup(), group.getError());
    }
    for (PartitionLag lag : group.getPartitionsList()) {
      if (lag.getStatus() == LagStatus.LAG_STATUS_FAILED || lag.hasError()) {
        tally.failed(lag.getTopic() + " partition " + lag.getPartition(), lag.getError());
      }
    }
  }

  /** Prints one group: each partition, and the sums. */
  public void print(GetGroupLagResponse response, GroupLag group, String isolation) {
    output.line(
        "group "
            + DisplayText.printable(group.getGroup())
            + (group.getExists() || group.hasError() ? "" : ": has committed nothing"),
        Ink.BOLD);
    printSource(response, isolation);
    if (group.getPartitionsCount() > 0) {
      output.table(partitions(group));
      output.line("");
    }
  }

  /** Prints one line for each group. */
  void printSums(GetGroupLagResponse response, String isolation) {
    printSource(response, isolation);
    TextTable table =
        new TextTable(
            TextTable.left("group"),
            TextTable.right("partitions"),
            TextTable.right("offset lag"),
            TextTable.right("records"),
            TextTable.right("max staleness"),
            TextTable.right("max span"),
            TextTable.left("notes"));
    for (GroupLag group : response.getResultsList()) {
      LagSum sum = group.getSum();
      table.add(
          group.getGroup(),
          sum.getPartitionCount(),
          Cells.number(isKnown(sum), sum.getOffsetLag()),
          Cells.number(isKnown(sum), sum.getRecordLag()),
          Cells.span(sum.hasMaxStalenessMs(), sum.getMaxStalenessMs()),
          Cells.span(sum.hasMaxSpanMs(), sum.getMaxSpanMs()),
          notes(group));
    }
    output.table(table);
    output.line("");
  }

  private void printSource(GetGroupLagResponse response, String isolation) {
    output.line(
        "  source "
            + DisplayText.printable(response.getSource())
            + ", "
            + isolation
            + ", at "
            + times.text(response.getServerTimeMs()),
        Ink.DIM);
    output.line("");
  }

  private static TextTable partitions(GroupLag group) {
    TextTable table =
        new TextTable(
            TextTable.left("topic"),
            TextTable.right("partition"),
            TextTable.right("committed"),
            TextTable.right("end"),
            TextTable.right("offset lag"),
            TextTable.right("records"),
            TextTable.right("staleness"),
            TextTable.right("span"),
            TextTable.left("status"),
            TextTable.left("notes"));
    for (PartitionLag lag : group.getPartitionsList()) {
      table.add(
          lag.getTopic(),
          lag.getPartition(),
          Cells.number(lag.hasCommittedOffset(), lag.getCommittedOffset()),
          Cells.number(lag.hasBounds(), lag.getBounds().getEndOffset()),
          Cells.number(lag.hasOffsetLag(), lag.getOffsetLag()),
          Cells.number(lag.hasRecordLag(), lag.getRecordLag()),
          Cells.span(lag.hasStalenessMs(), lag.getStalenessMs()),
          Cells.span(lag.hasSpanMs(), lag.getSpanMs()),
          status(lag.getStatus()),
          notes(lag));
    }
    LagSum sum = group.getSum();
    table.sum(
        "sum",
        sum.getPartitionCount(),
        "",
        "",
        Cells.number(isKnown(sum), sum.getOffsetLag()),
        Cells.number(isKnown(sum), sum.getRecordLag()),
        max(sum.hasMaxStalenessMs(), sum.getMaxStalenessMs()),
        max(sum.hasMaxSpanMs(), sum.getMaxSpanMs()),
        notes(sum),
        "");
    return table;
  }

  /** A sum over no partition at all is not 0 but unknown. */
  private static boolean isKnown(LagSum sum) {
    return sum.getPartitionCount()
        > sum.getPartitionsWithoutOffset() + sum.getPartitionsStale() + sum.getPartitionsFailed();
  }

  private static Cell max(boolean isThere, long ms) {
    return isThere ? Cell.of("max " + TimeDisplay.span(ms)) : Cells.none();
  }

  private static Cell status(LagStatus status) {
    Ink ink =
        switch (status) {
          case LAG_STATUS_CAUGHT_UP -> Ink.GREEN;
          case LAG_STATUS_BEHIND -> Ink.PLAIN;
          case LAG_STATUS_FAILED -> Ink.RED;
          default -> Ink.YELLOW;
        };
    return new Cell(Cells.words(status, "LAG_STATUS_"), ink);
  }

  private static Cell notes(PartitionLag lag) {
    List<String> notes = new ArrayList<>();
    if (lag.hasLostOffsets()) {
      notes.add(TopicWords.count(lag.getLostOffsets(), "offset") + " lost");
    }
    if (lag.hasAheadBy()) {
      notes.add(lag.getAheadBy() + " above the end");
    }
    if (lag.getFutureTimestamp()) {
      notes.add("future");
    }
    return new Cell(String.join(", ", notes), Ink.YELLOW);
  }

  private static Cell notes(GroupLag group) {
    if (group.hasError()) {
      return new Cell("failed", Ink.RED);
    }
    return group.getExists()
        ? notes(group.getSum())
        : new Cell("has committed nothing", Ink.YELLOW);
  }

  private static Cell notes(LagSum sum) {
    List<String> notes = new ArrayList<>();
    note(notes, sum.getPartitionsWithoutOffset(), "no offset");
    note(notes, sum.getPartitionsStale(), "stale topic");
    note(notes, sum.getPartitionsBelowStart(), "below start");
    note(notes, sum.getPartitionsAheadOfEnd(), "ahead of end");
    note(notes, sum.getPartitionsFailed(), "failed");
    return new Cell(String.join(", ", notes), Ink.YELLOW);
  }

  private static void note(List<String> notes, int count, String what) {
    if (count > 0) {
      notes.add(count + " " + what);
    }
  }
}
