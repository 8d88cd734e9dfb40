package io.whence.log;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The text form that all checkpoints of Kafka have. Invariant: what is read has the version and the
 * number of lines that it says. Thread safety: thread-safe, it has no state.
 *
 * <pre>
 *   0              the version
 *   2              how many lines follow
 *   orders 0 42    fields with one space between
 *   orders 1 7
 * </pre>
 */
final class CheckpointLines {
  private static final String VERSION = "0";
  private static final int FIRST_ENTRY = 2;

  private CheckpointLines() {}

  /**
   * Reads the entries of a file; none when there is no file or an empty one.
   *
   * @param fieldCount how many fields each entry has
   */
  static List<Line> read(AtomicFile file, int fieldCount) throws IOException {
    String text = file.readText().orElse("");
    if (text.isEmpty()) {
      return List.of();
    }
    List<String> lines = text.lines().toList();
    Path path = file.path();
    if (!lines.get(0).equals(VERSION)) {
      throw new CorruptFileException(path, "line 1", "version " + VERSION, quoted(lines.get(0)));
    }
    requireCount(path, lines);
    List<String> entries = lines.subList(FIRST_ENTRY, lines.size());
    Line[] parsed = new Line[entries.size()];
    for (int i = 0; i < parsed.length; i++) {
      parsed[i] = Line.parse(path, FIRST_ENTRY + i + 1, entries.get(i), fieldCount);
    }
    return List.of(parsed);
  }

  private static void requireCount(Path path, List<String> lines) {
    String expected = "the number of lines that follow, " + Math.max(0, lines.size() - FIRST_ENTRY);
    String found = lines.size() < FIRST_ENTRY ? "the end of the file" : quoted(lines.get(1));
    if (lines.size() < FIRST_ENTRY
        || !lines.get(1).equals(Integer.toString(lines.size() - FIRST_ENTRY))) {
      throw new CorruptFileException(path, "line 2", expected, found);
    }
  }

  /** Replaces a file. */
  static void write(AtomicFile file, List<String> entries) throws IOException {
    StringBuilder text = new StringBuilder();
    text.append(VERSION).append('\n').append(entries.size()).append('\n');
    for (String entry : entries) {
      text.append(entry).append('\n');
    }
    file.writeText(text.toString());
  }

  private static String quoted(String text) {
    return "'" + text + "'";
  }

  /** The fields of one line, and where it stands for messages. */
  record Line(Path path, int number, List<String> fields) {
    private static Line parse(Path path, int number, String text, int fieldCount) {
      // Kafka's readers take any white space between fields.
      List<String> fields = List.of(text.strip().split("\\s+"));
      Line line = new Line(path, number, fields);
      if (fields.size() != fieldCount) {
        throw line.corrupt(fieldCount + " fields", quoted(text));
      }
      return line;
    }

    String text(int field) {
      return fields.get(field);
    }

    /** Reads a field as a number from 0 to a maximum. */
    long number(int field, long max) {
      try {
        long number = Long.parseLong(text(field));
        if (number >= 0 && number <= max) {
          return number;
        }
      } catch (NumberFormatException e) {
        // Told below, with the place.
      }
      throw corrupt("a number from 0 to " + max, quoted(text(field)));
    }

    CorruptFileException corrupt(String expected, String found) {
      return new CorruptFileException(path, "line " + number, expected, found);
    }
  }
}
