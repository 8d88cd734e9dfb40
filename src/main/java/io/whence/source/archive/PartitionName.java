package io.whence.source.archive;

import io.whence.model.TopicPartition;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Kafka's names of partition directories: {@code topic-partition}. */
final class PartitionName {
  /** Directories of logs that are about to go, to come, or belong to nobody. */
  private static final List<String> NOT_SERVED = List.of("-delete", "-future", "-stray");

  private static final Pattern NAME =
      Pattern.compile("([a-zA-Z0-9._-]{1,249})-(0|[1-9][0-9]{0,9})");

  private PartitionName() {}

  /** Returns the suffix that says that a broker doesn't serve a directory, if it has one. */
  static Optional<String> notServedSuffix(String name) {
    return NOT_SERVED.stream().filter(name::endsWith).findFirst();
  }

  /** Returns the partition that a directory holds; nothing if it isn't named as one. */
  static Optional<TopicPartition> parse(String name) {
    Matcher matcher = NAME.matcher(name);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    try {
      return Optional.of(new TopicPartition(matcher.group(1), Integer.parseInt(matcher.group(2))));
    } catch (NumberFormatException e) {
      return Optional.empty(); // Above 2^31-1.
    }
  }
}
