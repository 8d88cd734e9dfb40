package io.whence.cli;

import io.whence.cli.TextTable.Cell;
import io.whence.v1.CommittedOffset;
import io.whence.v1.DeleteOffsetResponse;
import io.whence.v1.FetchOffsetResponse;
import io.whence.v1.GroupOffsetsResult;
import io.whence.v1.OffsetChange;
import io.whence.v1.OffsetResult;
import io.whence.v1.OffsetStatus;

/** Prints what groups have committed, and how it came about. Immutable. */
record OffsetsTable(OutputOptions output, TimeDisplay times) {
  private static final int METADATA_COLUMNS = 40;

  /** Counts the failures. */
  static void count(GroupOffsetsResult result, Tally tally) {
    if (result.hasError()) {
      tally.failed("group " + result.getGroup(), result.getError());
    }
    for (OffsetResult offset : result.getOffsetsList()) {
      if (offset.getStatus() == OffsetStatus.OFFSET_STATUS_FAILED || offset.hasError()) {
        tally.failed(offset.getTopic() + " partition " + offset.getPartition(), offset.getError());
      }
    }
  }

  /** Returns what was removed. */
  static TextTable deleted(DeleteOffsetResponse response) {
    TextTable table =
        new TextTable(
            TextTable.left("topic"), TextTable.right("partition"), TextTable.right("removed"));
    response
        .getResultsList()
        .forEach(
            result ->
                table.add(
                    result.getTopic(),
                    result.getPartition(),
                    Cells.number(result.hasOffsetBefore(), result.getOffsetBefore())));
    return table;
  }

  /** Prints the offsets of one group, and then their changes if there are any. */
  void print(FetchOffsetResponse response, GroupOffsetsResult result) {
    output.line(
        "group "
            + DisplayText.printable(result.getGroup())
            + (result.getExists() || result.hasError() ? "" : ": has committed nothing"),
        Ink.BOLD);
    output.line(
        "  source "
            + DisplayText.printable(response.getSource())
            + ", at "
            + times.text(response.getServerTimeMs()),
        Ink.DIM);
    output.line("");
    if (result.getOffsetsCount() > 0) {
      output.table(offsets(result));
      output.line("");
    }
    if (result.getOffsetsList().stream().anyMatch(offset -> offset.getHistoryCount() > 0)) {
      output.table(history(result));
      output.line("");
    }
  }

  private TextTable offsets(GroupOffsetsResult result) {
    TextTable table =
        new TextTable(
            TextTable.left("topic"),
            TextTable.right("partition"),
            TextTable.right("offset"),
            TextTable.left("status"),
            TextTable.left("committed (" + times.zoneName() + ")"),
            TextTable.left("expires"),
            TextTable.right("leader epoch"),
            TextTable.right("writer epoch"),
            TextTable.left("metadata"));
    for (OffsetResult offset : result.getOffsetsList()) {
      CommittedOffset committed = offset.getCommitted();
      boolean isThere = offset.hasCommitted();
      table.add(
          offset.getTopic(),
          offset.getPartition(),
          Cells.number(isThere, committed.getNextOffset()),
          status(offset),
          // A cluster doesn't tell when.
          committed.getCommitTimeMs() > 0 ? times.text(committed.getCommitTimeMs()) : Cells.none(),
          committed.hasExpiresAtMs() ? times.text(committed.getExpiresAtMs()) : Cells.none(),
          committed.hasLeaderEpoch() ? committed.getLeaderEpoch() : "",
          committed.hasWriterEpoch() ? committed.getWriterEpoch() : "",
          DisplayText.cut(DisplayText.printable(committed.getMetadata()), METADATA_COLUMNS));
    }
    return table;
  }

  private TextTable history(GroupOffsetsResult result) {
    TextTable table =
        new TextTable(
            TextTable.left("topic"),
            TextTable.right("partition"),
            TextTable.left("changed (" + times.zoneName() + ")"),
            TextTable.right("from"),
            TextTable.right("to"),
            TextTable.left("how"),
            TextTable.left("who"),
            TextTable.left("request"));
    for (OffsetResult offset : result.getOffsetsList()) {
      for (OffsetChange change : offset.getHistoryList()) {
        table.add(
            offset.getTopic(),
            offset.getPartition(),
            times.text(change.getChangedAtMs()),
            Cells.number(change.hasOffsetBefore(), change.getOffsetBefore()),
            change.getOffsetAfter(),
            how(change),
            change.getWriter(),
            change.getRequestId());
      }
    }
    return table;
  }

  private static String how(OffsetChange change) {
    return switch (change.getCause()) {
      case CHANGE_CAUSE_COMMIT, CHANGE_CAUSE_RESET ->
          Cells.words(change.getCause(), "CHANGE_CAUSE_");
      default -> "";
    };
  }

  private static Cell status(OffsetResult offset) {
    OffsetStatus status = offset.getStatus();
    String goOn = offset.hasSafeNextOffset() ? ": go on from " + offset.getSafeNextOffset() : "";
    Ink ink =
        switch (status) {
          case OFFSET_STATUS_CURRENT -> Ink.GREEN;
          case OFFSET_STATUS_FAILED -> Ink.RED;
          default -> Ink.YELLOW;
        };
    return new Cell(Cells.words(status, "OFFSET_STATUS_") + goOn, ink);
  }
}
