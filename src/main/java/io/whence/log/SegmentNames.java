package io.whence.log;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Names of the files of a segment: the base offset in at least 20 digits, and a suffix. */
final class SegmentNames {
  static final String LOG = ".log";
  static final String OFFSET_INDEX = ".index";
  static final String TIME_INDEX = ".timeindex";
  static final String TRANSACTION_INDEX = ".txnindex";
  static final String PRODUCER_SNAPSHOT = ".snapshot";

  /** The suffixes of all files that Kafka renames together when it replaces a segment. */
  static final List<String> OF_SEGMENT =
      List.of(LOG, OFFSET_INDEX, TIME_INDEX, TRANSACTION_INDEX, PRODUCER_SNAPSHOT);

  static final String DELETED = ".deleted";
  static final String CLEANED = ".cleaned";
  static final String SWAP = ".swap";

  private static final int DIGITS = 20;
  private static final Pattern BASE_OFFSET = Pattern.compile("([0-9]{20,})(\\.[a-z.]+)");

  private SegmentNames() {}

  /** Returns the path of a file. Plain digits, whatever the locale. */
  static Path path(Path directory, long baseOffset, String suffix) {
    String digits = Long.toString(baseOffset);
    return directory.resolve("0".repeat(DIGITS - digits.length()) + digits + suffix);
  }

  /** Returns the base offset in a name with this suffix; nothing if it isn't such a name. */
  static OptionalLong baseOffset(String name, String suffix) {
    if (!name.endsWith(suffix)) {
      return OptionalLong.empty(); // Most are not: cheaper than the pattern.
    }
    Matcher matcher = BASE_OFFSET.matcher(name);
    if (!matcher.matches() || !suffix.equals(matcher.group(2))) {
      return OptionalLong.empty();
    }
    try {
      return OptionalLong.of(Long.parseLong(matcher.group(1)));
    } catch (NumberFormatException e) {
      return OptionalLong.empty(); // More digits than an offset has.
    }
  }

  /**
   * Returns a path for a .log that is about to be deleted. What a compaction replaced may still
   * wait for its readers under the usual one.
   */
  static Path freeDeletedPath(Path directory, long baseOffset) {
    Path path = path(directory, baseOffset, LOG + DELETED);
    for (int i = 2; Files.exists(path); i++) {
      path = path(directory, baseOffset, LOG + "." + i + DELETED);
    }
    return path;
  }
}
