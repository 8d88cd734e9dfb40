package io.whence.cli;

import io.whence.v1.IsolationLevel;
import java.util.List;
import picocli.CommandLine.Option;

/** The options that say which partitions are asked, and which records count. Single-writer. */
final class QueryOptions {
  @Option(
      names = "--topic",
      required = true,
      paramLabel = "TOPIC",
      description = "The topic. May be given several times.")
  private List<String> topics = List.of();

  @Option(
      names = "--partitions",
      paramLabel = "LIST",
      description = "The partitions, such as 0-3,7. Default: all.")
  private String partitions = "";

  @Option(
      names = "--read-committed",
      description = "Hides records of aborted and open transactions.")
  private boolean readCommitted;

  /** Returns the topics, in the order given. */
  List<String> topics() {
    return topics;
  }

  /** Returns the partitions, in the order given; empty for all. */
  List<Integer> partitions() {
    return PartitionList.parse(partitions);
  }

  /** Returns which records count. */
  IsolationLevel isolationLevel() {
    return readCommitted
        ? IsolationLevel.ISOLATION_LEVEL_READ_COMMITTED
        : IsolationLevel.ISOLATION_LEVEL_READ_UNCOMMITTED;
  }

  /** Returns which records count, in words. */
  String isolationWords() {
    return readCommitted ? "read committed" : "read uncommitted";
  }
}
