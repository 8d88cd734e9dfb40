package io.whence.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Partitions as people write them: {@code 0-3,7}, both ends inclusive, in the order given.
 * Immutable.
 */
final class PartitionList {
  private static final Pattern PART = Pattern.compile("\\s*(\\d{1,9})\\s*(?:-\\s*(\\d{1,9})\\s*)?");
  private static final int MAX_PARTITIONS = 100_000;

  private PartitionList() {}

  /**
   * Reads a list; empty text is the empty list, which stands for all partitions.
   *
   * @throws BadInputException if the text isn't such a list or names more than 100,000 partitions
   */
  static List<Integer> parse(String text) {
    return parse("--partitions", text);
  }

  /**
   * Reads the list that was given for the option {@code field}; empty text is the empty list.
   *
   * @throws BadInputException if the text isn't such a list or names more than 100,000 partitions
   */
  static List<Integer> parse(String field, String text) {
    List<Integer> partitions = new ArrayList<>();
    if (!text.isBlank()) {
      for (String part : text.split(",", -1)) {
        addPart(field, partitions, text, part);
      }
    }
    return List.copyOf(partitions);
  }

  private static void addPart(String field, List<Integer> partitions, String text, String part) {
    Matcher matcher = PART.matcher(part);
    if (!matcher.matches()) {
      throw refused(field, text, "'" + part + "' is neither a partition nor a range");
    }
    int first = Integer.parseInt(matcher.group(1));
    int last = matcher.group(2) == null ? first : Integer.parseInt(matcher.group(2));
    if (last < first) {
      throw refused(field, text, "the range '" + part.strip() + "' ends before it starts");
    }
    if (last - first >= MAX_PARTITIONS - partitions.size()) {
      throw refused(field, text, "that is more than " + MAX_PARTITIONS + " partitions");
    }
    for (int partition = first; partition <= last; partition++) {
      partitions.add(partition);
    }
  }

  private static BadInputException refused(String field, String text, String why) {
    return new BadInputException(
        field, field + " '" + text + "': " + why + "; write for example 0-3,7");
  }
}
