package io.whence.cli;

import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What to commit, as people write it: {@code orders:3=42}, or {@code orders=42} where the topic has
 * one partition only. Immutable.
 *
 * @param topic the topic
 * @param partition the partition; empty if none was named
 * @param nextOffset the offset of the next record to read; not negative
 */
record CommitTarget(String topic, OptionalInt partition, long nextOffset) {
  private static final Pattern FORM =
      Pattern.compile("\\s*([^:=\\s]+)\\s*(?::\\s*(\\d{1,9})\\s*)?=\\s*(\\d{1,19})\\s*");

  /**
   * Reads one.
   *
   * @throws BadInputException if the text isn't of this form
   */
  static CommitTarget parse(String text) {
    Matcher parts = FORM.matcher(text);
    if (!parts.matches()) {
      throw refused(text, "write TOPIC:PARTITION=OFFSET, such as orders:3=42");
    }
    OptionalInt partition =
        parts.group(2) == null
            ? OptionalInt.empty()
            : OptionalInt.of(Integer.parseInt(parts.group(2)));
    try {
      return new CommitTarget(parts.group(1), partition, Long.parseLong(parts.group(3)));
    } catch (NumberFormatException e) {
      throw refused(text, "the offset is larger than " + Long.MAX_VALUE);
    }
  }

  private static BadInputException refused(String text, String why) {
    return new BadInputException("TOPIC:PARTITION=OFFSET", "'" + text + "': " + why);
  }
}
