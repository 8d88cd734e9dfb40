package io.whence.source.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Tells the directory of a partition that never held a record, such as one of a creation that did
 * not finish, from one that may. Only looks.
 */
final class EmptyPartition {
  private static final Pattern DIRECTORY = Pattern.compile("([a-zA-Z0-9._-]+)-([0-9]{1,9})");
  private static final String FIRST_LOG = "0".repeat(20) + ".log";
  private static final Set<String> OTHER_FILES =
      Set.of(
          "partition.metadata",
          "partition.metadata.tmp",
          "leader-epoch-checkpoint",
          "leader-epoch-checkpoint.tmp");

  private EmptyPartition() {}

  /** Returns the topic in the name of a partition directory; nothing if it isn't such a name. */
  static Optional<String> topicOf(String name) {
    Matcher matcher = DIRECTORY.matcher(name);
    return matcher.matches() ? Optional.of(String.valueOf(matcher.group(1))) : Optional.empty();
  }

  /** Returns whether a directory is one of a partition without records. */
  static boolean isAt(Path directory) throws IOException {
    if (!Files.isDirectory(directory) || topicOf(nameOf(directory)).isEmpty()) {
      return false;
    }
    List<Path> files;
    try (Stream<Path> listed = Files.list(directory)) {
      files = listed.toList();
    }
    for (Path file : files) {
      boolean emptyLog = nameOf(file).equals(FIRST_LOG) && Files.size(file) == 0;
      if (!emptyLog && !OTHER_FILES.contains(nameOf(file))) {
        return false;
      }
    }
    return true;
  }

  private static String nameOf(Path path) {
    return String.valueOf(path.getFileName());
  }
}
