package io.whence.cli;

import io.whence.cli.TextTable.Cell;
import io.whence.v1.DescribeTopicResponse;
import io.whence.v1.PartitionDescription;
import io.whence.v1.RecordInfo;
import io.whence.v1.TimestampEffect;
import io.whence.v1.TimestampReport;
import io.whence.v1.UnusualRecords;
import java.util.ArrayList;
import java.util.List;

/** Prints which records of a topic have unusual timestamps. Immutable. */
record TimestampTable(OutputOptions output, TimeDisplay times) {

  /** Prints the reports, if there are any; those that failed go to the tally. */
  void print(DescribeTopicResponse response, Tally failures) {
    List<PartitionDescription> reported = new ArrayList<>();
    for (PartitionDescription partition : response.getPartitionsList()) {
      if (partition.getTimestampReport().hasError()) {
        failures.failed(
            "timestamps of partition " + partition.getPartition(),
            partition.getTimestampReport().getError());
      } else if (partition.hasTimestampReport()) {
        reported.add(partition);
      }
    }
    if (reported.isEmpty()) {
      return;
    }
    output.line("");
    output.line("timestamps", Ink.BOLD);
    long unusual = reported.stream().filter(TimestampTable::isUnusual).count();
    if (unusual > 0) {
      output.table(table(reported));
    }
    output.line(
        unusual + " of " + reported.size() + " partitions have records with unusual timestamps");
  }

  private static boolean isUnusual(PartitionDescription partition) {
    return partition.getTimestampReport().getEffectsCount() > 0;
  }

  private TextTable table(List<PartitionDescription> reported) {
    TextTable table =
        new TextTable(
            TextTable.right("partition"),
            TextTable.left("records"),
            TextTable.right("count"),
            TextTable.right("of"),
            TextTable.right("first offset"),
            TextTable.left("first time (" + times.zoneName() + ")"),
            TextTable.right("last offset"),
            TextTable.left("last time"),
            TextTable.left("leads to"));
    for (PartitionDescription partition : reported) {
      TimestampReport report = partition.getTimestampReport();
      row(table, partition, "in the future", report.getFuture(), future(report));
      row(table, partition, "without time", report.getMissing(), missing(report));
      row(table, partition, "out of order", report.getDisordered(), disorder(report));
    }
    return table;
  }

  private void row(
      TextTable table,
      PartitionDescription partition,
      String what,
      UnusualRecords records,
      String effect) {
    if (records.getCount() > 0) {
      table.add(
          partition.getPartition(),
          new Cell(what, Ink.YELLOW),
          records.getCount(),
          partition.getTimestampReport().getRecordCount(),
          records.getFirst().getOffset(),
          time(records.getFirst()),
          records.getLast().getOffset(),
          time(records.getLast()),
          effect);
    }
  }

  private Cell time(RecordInfo info) {
    return info.hasTimestampMs() ? Cell.of(times.text(info.getTimestampMs())) : Cells.none();
  }

  private static String future(TimestampReport report) {
    return "times are reached early" + (hasFutureHold(report) ? held(report) : "");
  }

  private static String missing(TimestampReport report) {
    boolean holds = !hasFutureHold(report);
    return "not found by time" + (holds ? held(report) : "");
  }

  private static boolean hasFutureHold(TimestampReport report) {
    return report.getFuture().getCount() > 0;
  }

  private static String held(TimestampReport report) {
    return report.getEffectsList().contains(TimestampEffect.TIMESTAMP_EFFECT_RETENTION_HELD)
        ? "; segments from offset "
            + report.getRetentionHeldFromOffset()
            + " on are not deleted by age"
        : "";
  }

  private static String disorder(TimestampReport report) {
    return "windows hold other records; up to "
        + TimeDisplay.span(report.getMaxDisorderMs())
        + " back";
  }
}
