package io.whence.cli;

import java.util.ArrayList;
import java.util.List;

/**
 * A table of text: aligned columns, a rule under the header, an optional line of sums. Columns
 * whose cells are all empty are left out. Every row has as many cells as there are columns.
 * Single-writer.
 */
public final class TextTable {
  private static final String GUTTER = "  ";

  /** A column: its header, and whether its cells stand at the right. */
  public record Column(String header, boolean right) {}

  /** A cell: its text, without control characters, and how it looks. */
  public record Cell(String text, Ink ink) {
    /** Makes a cell; control characters are written as escapes. */
    public Cell {
      text = DisplayText.printable(text);
    }

    /** Makes a plain cell of a value as text. */
    public static Cell of(Object value) {
      return new Cell(String.valueOf(value), Ink.PLAIN);
    }
  }

  private final List<Column> columns;
  private final List<List<Cell>> rows = new ArrayList<>();
  private List<Cell> sums = List.of();

  public TextTable(Column... columns) {
    this.columns = List.of(columns);
  }

  /** Makes a column whose cells stand at the left. */
  public static Column left(String header) {
    return new Column(header, false);
  }

  /** Makes a column whose cells stand at the right. */
  public static Column right(String header) {
    return new Column(header, true);
  }

  /** Adds a row; cells that aren't a {@link Cell} are shown as their text. */
  public void add(Object... cells) {
    rows.add(cells(cells));
  }

  /** Sets the line under the last row. */
  public void sum(Object... cells) {
    sums = cells(cells);
  }

  /** Returns the lines of the table, without trailing spaces. */
  public List<String> lines(boolean colour) {
    int[] widths = widths();
    List<String> lines = new ArrayList<>();
    lines.add(
        line(columns.stream().map(c -> new Cell(c.header(), Ink.BOLD)).toList(), widths, colour));
    lines.add(Ink.DIM.paint(rule(widths), colour));
    rows.forEach(row -> lines.add(line(row, widths, colour)));
    if (!sums.isEmpty()) {
      lines.add(Ink.DIM.paint(rule(widths), colour));
      lines.add(line(sums, widths, colour));
    }
    return lines;
  }

  private List<Cell> cells(Object[] cells) {
    if (cells.length != columns.size()) {
      throw new IllegalArgumentException(
          cells.length + " cells for " + columns.size() + " columns");
    }
    List<Cell> row = new ArrayList<>();
    for (Object cell : cells) {
      row.add(cell instanceof Cell c ? c : Cell.of(cell));
    }
    return List.copyOf(row);
  }

  /** Returns the width of each column; 0 for one that is left out. */
  private int[] widths() {
    int[] widths = new int[columns.size()];
    for (int i = 0; i < widths.length; i++) {
      int widest = 0;
      for (List<Cell> row : rows) {
        widest = Math.max(widest, DisplayText.width(row.get(i).text()));
      }
      if (!sums.isEmpty()) {
        widest = Math.max(widest, DisplayText.width(sums.get(i).text()));
      }
      boolean shown = widest > 0 || rows.isEmpty();
      widths[i] = shown ? Math.max(widest, DisplayText.width(columns.get(i).header())) : 0;
    }
    return widths;
  }

  private static String rule(int[] widths) {
    int width = 0;
    for (int w : widths) {
      width += w == 0 ? 0 : w + GUTTER.length();
    }
    return GUTTER + "─".repeat(Math.max(0, width - GUTTER.length()));
  }

  private String line(List<Cell> cells, int[] widths, boolean colour) {
    StringBuilder line = new StringBuilder();
    StringBuilder pending = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      if (widths[i] == 0) {
        continue;
      }
      Cell cell = cells.get(i);
      String padding = " ".repeat(widths[i] - DisplayText.width(cell.text()));
      pending.append(GUTTER).append(columns.get(i).right() ? padding : "");
      if (!cell.text().isEmpty()) {
        line.append(pending).append(cell.ink().paint(cell.text(), colour));
        pending.setLength(0);
      }
      pending.append(columns.get(i).right() ? "" : padding);
    }
    return line.toString();
  }
}
