package io.whence.cli;

import io.whence.v1.FetchOffsetResponse;
import io.whence.v1.GroupOffsetsResult;
import io.whence.v1.OffsetResult;
import io.whence.v1.OffsetStatus;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Offsets in the form of Kafka's own tool: lines of {@code topic,partition,offset} for one group,
 * or of {@code group,topic,partition,offset}, without a header. Each partition of a group is there
 * once. Immutable.
 *
 * @param hasGroups whether the lines name their group
 * @param rows the lines
 */
record OffsetsCsv(boolean hasGroups, List<Row> rows) {
  private static final Pattern PARTITION = Pattern.compile("\\d{1,9}");
  private static final Pattern OFFSET = Pattern.compile("\\d{1,19}");

  /**
   * One line.
   *
   * @param group the group; empty if the line names none
   */
  record Row(String group, String topic, int partition, long offset) {}

  OffsetsCsv {
    rows = List.copyOf(rows);
  }

  /**
   * Reads the lines of a file. How many columns there are is decided by its first line; blank lines
   * and spaces around values don't count.
   *
   * @param file the name, for messages
   * @throws BadInputException if a line isn't of this form; names file, line and column
   */
  static OffsetsCsv parse(String file, List<String> lines) {
    List<Row> rows = new ArrayList<>();
    Map<Row, Integer> seen = new HashMap<>();
    int columns = 0;
    for (int i = 0; i < lines.size(); i++) {
      String line =
          i == 0 ? lines.get(i).replaceFirst("^" + CsvLine.BYTE_ORDER_MARK, "") : lines.get(i);
      if (line.isBlank()) {
        continue;
      }
      Place place = new Place(file, i + 1);
      List<String> values = CsvLine.parse(place, line);
      columns = columns == 0 ? values.size() : columns;
      place.checkColumns(values.size(), columns);
      Row row = row(place, values);
      rows.add(row);
      Integer before = seen.put(new Row(row.group(), row.topic(), row.partition(), 0), i + 1);
      if (before != null) {
        throw place.refused(columns - 1, "the same partition is in line " + before + " already");
      }
    }
    if (rows.isEmpty()) {
      throw new BadInputException("--from-file", file + " has no line with an offset");
    }
    return new OffsetsCsv(columns == Place.MAX_COLUMNS, rows);
  }

  /** Takes what can be used as it is; says on standard error what is left out, and why. */
  static OffsetsCsv of(FetchOffsetResponse response, PrintWriter err) {
    List<Row> rows = new ArrayList<>();
    for (GroupOffsetsResult result : response.getResultsList()) {
      for (OffsetResult offset : result.getOffsetsList()) {
        if (offset.getStatus() == OffsetStatus.OFFSET_STATUS_CURRENT) {
          long next = offset.getCommitted().getNextOffset();
          rows.add(new Row(result.getGroup(), offset.getTopic(), offset.getPartition(), next));
        } else {
          err.println(
              DisplayText.printable(
                  "whence: left out: "
                      + result.getGroup()
                      + ", "
                      + offset.getTopic()
                      + " partition "
                      + offset.getPartition()
                      + ": "
                      + Cells.words(offset.getStatus(), "OFFSET_STATUS_")));
        }
      }
    }
    return new OffsetsCsv(true, rows);
  }

  /**
   * Returns the lines; {@link #parse} gives the rows back.
   *
   * @throws BadInputException if a name can't be written
   */
  List<String> lines(boolean withGroups) {
    return rows.stream()
        .map(
            row ->
                (withGroups ? CsvLine.quoted(row.group()) + "," : "")
                    + CsvLine.quoted(row.topic())
                    + ","
                    + row.partition()
                    + ","
                    + row.offset())
        .toList();
  }

  /** Prints the lines, all or, where one can't be written, none. */
  void print(OutputOptions output, boolean withGroups) {
    lines(withGroups).forEach(output::line);
  }

  private static Row row(Place place, List<String> values) {
    int first = values.size() - 3;
    String group = first == 0 ? "" : values.get(0);
    if (first == 1 && group.isEmpty()) {
      throw place.refused(1, "the group is empty");
    }
    if (values.get(first).isEmpty()) {
      throw place.refused(first + 1, "the topic is empty");
    }
    String partition = values.get(first + 1);
    if (!PARTITION.matcher(partition).matches()) {
      throw place.refused(first + 2, "'" + partition + "' is no partition");
    }
    return new Row(
        group,
        values.get(first),
        Integer.parseInt(partition),
        offset(place, first + 3, values.get(first + 2)));
  }

  private static long offset(Place place, int column, String text) {
    try {
      if (OFFSET.matcher(text).matches()) {
        return Long.parseLong(text);
      }
    } catch (NumberFormatException e) {
      throw place.refused(column, "'" + text + "' is larger than " + Long.MAX_VALUE);
    }
    throw place.refused(column, "'" + text + "' is no offset");
  }

  /** A line of a file, for messages. Immutable. */
  record Place(String file, int line) {
    static final int MIN_COLUMNS = 3;
    static final int MAX_COLUMNS = 4;

    /** Makes the failure that a wrong value in a column, counted from 1, is. */
    BadInputException refused(int column, String why) {
      return new BadInputException(
          "--from-file", file + ", line " + line + ", column " + column + ": " + why);
    }

    private void checkColumns(int count, int expected) {
      if (count < MIN_COLUMNS || count > MAX_COLUMNS) {
        throw refused(
            Math.min(count, MAX_COLUMNS + 1),
            "the line has "
                + TopicWords.count(count, "column")
                + "; write topic,partition,offset or group,topic,partition,offset");
      }
      if (count != expected) {
        throw refused(
            Math.min(count, expected) + 1,
            "the line has "
                + count
                + " columns, and there are "
                + expected
                + " in the lines before");
      }
    }
  }
}
