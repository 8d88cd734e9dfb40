package io.whence.cli;

import java.util.ArrayList;
import java.util.List;

/**
 * One line of comma-separated values. A value in double quotes may contain commas, spaces at its
 * ends, and double quotes that are written twice. Immutable.
 */
final class CsvLine {
  /** Editors of Windows put it before the first line of a file: no bare value begins with it. */
  static final String BYTE_ORDER_MARK = "\uFEFF";

  private static final char QUOTE = '"';

  private CsvLine() {}

  /**
   * Returns the values of a line, without the spaces around them.
   *
   * @throws BadInputException if a quote isn't closed, or something follows one that is
   */
  static List<String> parse(OffsetsCsv.Place place, String line) {
    List<String> values = new ArrayList<>();
    int at = 0;
    while (at <= line.length()) {
      at = skipSpaces(line, at);
      int column = values.size() + 1;
      if (at < line.length() && line.charAt(at) == QUOTE) {
        StringBuilder value = new StringBuilder();
        at = skipSpaces(line, readQuoted(place, column, line, at + 1, value));
        if (at < line.length() && line.charAt(at) != ',') {
          throw place.refused(column, "something follows the closing quote");
        }
        values.add(value.toString());
        at++;
      } else {
        int comma = line.indexOf(',', at);
        int end = comma < 0 ? line.length() : comma;
        values.add(line.substring(at, end).strip());
        at = end + 1;
      }
    }
    return values;
  }

  /**
   * Returns a value as it is written, so that {@link #parse} gives it back: in quotes where they
   * are needed.
   *
   * @throws BadInputException if it has a line break: no line can hold it
   */
  static String quoted(String value) {
    if (value.chars().anyMatch(c -> c == '\n' || c == '\r')) {
      throw new BadInputException(
          "--csv",
          "'" + value + "' has a line break, which a line of CSV can't hold; ask for JSON instead");
    }
    boolean plain =
        value.strip().equals(value)
            && !value.startsWith(BYTE_ORDER_MARK)
            && value.chars().noneMatch(c -> c == ',' || c == QUOTE);
    return plain ? value : QUOTE + value.replace("\"", "\"\"") + QUOTE;
  }

  /** Reads up to the closing quote; returns where the line goes on. */
  private static int readQuoted(
      OffsetsCsv.Place place, int column, String line, int from, StringBuilder value) {
    for (int at = from; at < line.length(); at++) {
      boolean quote = line.charAt(at) == QUOTE;
      boolean doubled = quote && at + 1 < line.length() && line.charAt(at + 1) == QUOTE;
      if (quote && !doubled) {
        return at + 1;
      }
      value.append(line.charAt(at));
      at += doubled ? 1 : 0;
    }
    throw place.refused(column, "the quote isn't closed");
  }

  private static int skipSpaces(String line, int from) {
    int at = from;
    while (at < line.length() && Character.isWhitespace(line.charAt(at))) {
      at++;
    }
    return at;
  }
}
