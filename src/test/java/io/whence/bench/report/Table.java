package io.whence.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Figures side by side. Thread safety: immutable.
 *
 * @param title what it shows
 * @param columns the names of the columns
 * @param rows a text or a number for each column; an empty text for none
 */
public record Table(String title, List<String> columns, List<List<Object>> rows) {
  /** Copies, and checks that each row has all columns. */
  public Table {
    columns = List.copyOf(columns);
    rows = rows.stream().map(List::copyOf).toList();
    for (List<Object> row : rows) {
      if (row.size() != columns.size()) {
        throw new IllegalArgumentException(columns + " are the columns of " + row);
      }
    }
  }

  /** Returns the table as Markdown. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add(title + ":");
    lines.add("");
    lines.add(columns.stream().collect(Collectors.joining(" | ", "| ", " |")));
    lines.add(
        columns.stream()
            .map(column -> isText(columns.indexOf(column)) ? ":--" : "--:")
            .collect(Collectors.joining(" | ", "| ", " |")));
    for (List<Object> row : rows) {
      lines.add(row.stream().map(Table::text).collect(Collectors.joining(" | ", "| ", " |")));
    }
    return lines;
  }

  private boolean isText(int column) {
    return rows.stream().noneMatch(row -> row.get(column) instanceof Number);
  }

  /** Returns a number with as many digits as tell something. */
  static String text(Object value) {
    if (!(value instanceof Number number)) {
      return value.toString();
    }
    double figure = number.doubleValue();
    boolean whole = number instanceof Integer || number instanceof Long;
    double size = Math.abs(figure);
    int digits = whole || size >= 1000 ? 0 : size >= 100 ? 1 : size >= 1 ? 2 : 3;
    return String.format(Locale.ROOT, "%,." + digits + "f", figure);
  }
}
