package io.whence.cli;

import io.whence.cli.TextTable.Cell;
import io.whence.v1.DamagedRange;
import io.whence.v1.DescribeTopicResponse;
import io.whence.v1.PartitionDescription;
import io.whence.v1.PreloadState;
import io.whence.v1.SegmentDescription;
import io.whence.v1.TimestampHealth;
import java.util.TreeMap;

/** Prints one topic in full. Immutable. */
record DescribeTables(OutputOptions output, TimeDisplay times) {

  /** Prints the topic, its settings, its partitions, and what is wrong with them. */
  void print(DescribeTopicResponse response) {
    output.line(TopicWords.of(response.getTopic()), Ink.BOLD);
    new TreeMap<>(response.getConfigMap())
        .forEach(
            (key, value) -> output.line(DisplayText.printable("  " + key + "=" + value), Ink.DIM));
    output.line("");
    output.table(partitions(response));
    Tally failures = new Tally();
    for (PartitionDescription partition : response.getPartitionsList()) {
      if (partition.hasError()) {
        failures.failed("partition " + partition.getPartition(), partition.getError());
      }
      partition.getDamagesList().forEach(damage -> printDamage(partition, damage));
      if (partition.getSegmentsCount() > 0) {
        output.line("");
        output.line("partition " + partition.getPartition(), Ink.BOLD);
        output.table(segments(partition));
      }
    }
    new TimestampTable(output, times).print(response, failures);
    failures.printFailures(output);
  }

  private TextTable partitions(DescribeTopicResponse response) {
    String zone = " (" + times.zoneName() + ")";
    TextTable table =
        new TextTable(
            TextTable.right("partition"),
            TextTable.right("start"),
            TextTable.right("end"),
            TextTable.right("stable"),
            TextTable.right("records"),
            TextTable.right("bytes"),
            TextTable.right("segments"),
            TextTable.right("in memory"),
            TextTable.left("smallest time" + zone),
            TextTable.left("largest time"),
            TextTable.right("disorder"),
            TextTable.left("notes"));
    for (PartitionDescription partition : response.getPartitionsList()) {
      TimestampHealth health = partition.getTimestamps();
      boolean decided = partition.getLastStableOffset() == partition.getHighWatermark();
      table.add(
          partition.getPartition(),
          partition.getLogStartOffset(),
          partition.getHighWatermark(),
          decided ? "" : partition.getLastStableOffset(),
          health.getRecordCount(),
          partition.getSizeBytes(),
          partition.getSegmentCount(),
          inMemory(partition),
          time(health.hasMinTimestampMs(), health.getMinTimestampMs()),
          time(health.hasMaxTimestampMs(), health.getMaxTimestampMs()),
          health.getMaxDisorderMs() == 0 ? "" : TimeDisplay.span(health.getMaxDisorderMs()),
          notes(partition));
    }
    return table;
  }

  private static Cell inMemory(PartitionDescription partition) {
    PreloadState preload = partition.getPreload();
    return preload.getUnloadedSegmentCount() == 0
        ? Cell.of(partition.hasPreload() ? "all" : "")
        : Cell.of(String.valueOf(preload.getLoadedSegmentCount()));
  }

  private TextTable segments(PartitionDescription partition) {
    TextTable table =
        new TextTable(
            TextTable.right("base offset"),
            TextTable.right("next offset"),
            TextTable.right("records"),
            TextTable.right("bytes"),
            TextTable.right("index bytes"),
            TextTable.left("smallest time (" + times.zoneName() + ")"),
            TextTable.left("largest time"),
            TextTable.left("notes"));
    for (SegmentDescription segment : partition.getSegmentsList()) {
      table.add(
          segment.getBaseOffset(),
          segment.getNextOffset(),
          segment.getRecordCount(),
          segment.getSizeBytes(),
          segment.getTimelineBytes(),
          time(segment.hasMinTimestampMs(), segment.getMinTimestampMs()),
          time(segment.hasMaxTimestampMs(), segment.getMaxTimestampMs()),
          notes(segment));
    }
    return table;
  }

  private static String notes(SegmentDescription segment) {
    if (segment.getActive()) {
      return "active";
    }
    return segment.getPreloaded() ? "" : "not in memory";
  }

  private Cell time(boolean present, long epochMs) {
    return present ? Cell.of(times.text(epochMs)) : Cells.none();
  }

  private static Cell notes(PartitionDescription partition) {
    if (partition.hasError()) {
      return new Cell("failed", Ink.RED);
    }
    if (partition.getDamagesCount() > 0) {
      return new Cell("damaged", Ink.RED);
    }
    if (partition.hasFollowedFrom()) {
      return new Cell("followed from " + partition.getFollowedFrom(), Ink.YELLOW);
    }
    if (partition.getTimestamps().getFuture()) {
      return new Cell("future", Ink.YELLOW);
    }
    long without = partition.getTimestamps().getWithoutTimestampCount();
    return without == 0 ? Cell.of("") : new Cell(without + " without time", Ink.YELLOW);
  }

  private void printDamage(PartitionDescription partition, DamagedRange damage) {
    output.line(
        DisplayText.printable(
            "  partition "
                + partition.getPartition()
                + " is damaged: offsets ["
                + damage.getRange().getStartOffset()
                + ", "
                + damage.getRange().getEndOffset()
                + "), "
                + damage.getPath()
                + " at byte "
                + damage.getPosition()
                + ": expected "
                + damage.getExpected()
                + ", found "
                + damage.getFound()),
        Ink.RED);
  }
}
