package io.whence.commit;

import io.whence.model.TopicPartition;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * One thing that {@link CommittingServer} does to a group, and a line of text for it. Thread
 * safety: immutable.
 *
 * @param kind what
 * @param group the group; whose calls come one after the other
 * @param offset the offset that is committed; larger than all before it
 * @param partitions of which partitions, ascending
 */
record GroupOp(Kind kind, String group, long offset, List<Integer> partitions) {
  static final String TOPIC = "work";
  static final int PARTITIONS = 50;

  /** What can be done. */
  enum Kind {
    COMMIT,
    /** Refused as a whole, for its last entry, and remembered as such. */
    REFUSED,
    /** All but the last entry. */
    PARTLY,
    DELETE,
    DELETE_GROUP
  }

  static GroupOp random(String group, long offset, Random random) {
    List<Integer> partitions =
        new ArrayList<>(
            random
                .ints(1 + random.nextInt(random.nextInt(5) == 0 ? PARTITIONS : 4), 0, PARTITIONS)
                .distinct()
                .sorted()
                .boxed()
                .toList());
    int dice = random.nextInt(50);
    Kind kind =
        dice < 36
            ? Kind.COMMIT
            : dice < 40
                ? Kind.REFUSED
                : dice < 44 ? Kind.PARTLY : dice < 49 ? Kind.DELETE : Kind.DELETE_GROUP;
    return new GroupOp(kind, group, offset, partitions);
  }

  boolean isCommit() {
    return kind != Kind.DELETE && kind != Kind.DELETE_GROUP;
  }

  /** Returns the request; every other one has an id. */
  CommitRequest request() {
    List<CommitEntry> entries = new ArrayList<>();
    for (int partition : partitions) {
      boolean last = entries.size() == partitions.size() - 1;
      boolean refused = kind != Kind.COMMIT && last;
      entries.add(
          new CommitEntry(
              partition(partition),
              offset,
              7,
              metadata(),
              refused ? new Expected.Offset(1) : Expected.ANYTHING,
              -1,
              null,
              false,
              true));
    }
    return new CommitRequest(
        group,
        entries,
        hasId() ? "request-" + offset : "",
        kind != Kind.PARTLY,
        false,
        "writer of " + group,
        ChangeCause.COMMIT);
  }

  String metadata() {
    return "offset " + offset;
  }

  boolean hasId() {
    return isCommit() && offset % 2 == 0;
  }

  List<TopicPartition> topicPartitions() {
    return partitions.stream().map(GroupOp::partition).toList();
  }

  static TopicPartition partition(int number) {
    return new TopicPartition(TOPIC, number);
  }

  /** Returns what the group has afterwards, by partition. */
  SortedMap<Integer, Long> appliedTo(Map<Integer, Long> before) {
    SortedMap<Integer, Long> after = new TreeMap<>(before);
    switch (kind) {
      case COMMIT -> partitions.forEach(partition -> after.put(partition, offset));
      case PARTLY ->
          partitions
              .subList(0, partitions.size() - 1)
              .forEach(partition -> after.put(partition, offset));
      case REFUSED -> {}
      case DELETE -> partitions.forEach(after::remove);
      case DELETE_GROUP -> after.clear();
    }
    return after;
  }

  /** Returns results as text. */
  static String textOf(CommitReply reply) {
    return reply.results().stream()
        .map(
            result ->
                result.outcome()
                    + ":"
                    + result.before()
                    + ":"
                    + result.now()
                    + result.failure().map(failure -> ":" + failure.reason()).orElse(""))
        .collect(Collectors.joining(","));
  }

  String toLine() {
    return kind
        + " "
        + group
        + " "
        + offset
        + " "
        + partitions.stream().map(String::valueOf).collect(Collectors.joining(","));
  }

  static GroupOp parse(String line) {
    String[] words = line.split(" ");
    return new GroupOp(
        Kind.valueOf(words[0]),
        words[1],
        Long.parseLong(words[2]),
        Arrays.stream(words[3].split(",")).map(Integer::valueOf).toList());
  }

  /** Returns the names of the groups of a thread. */
  static List<String> groupsOf(int thread) {
    return IntStream.range(0, 3).mapToObj(i -> "kept-" + thread + "-" + i).toList();
  }
}
