package io.whence.cli;

import io.whence.v1.IsolationLevel;
import picocli.CommandLine.Option;

/** The option that says which records count. Single-writer: filled by the parser. */
final class IsolationOption {
  @Option(
      names = "--read-committed",
      description = "Hides records of aborted and open transactions.")
  private boolean readCommitted;

  /** Returns which records count. */
  IsolationLevel level() {
    return readCommitted
        ? IsolationLevel.ISOLATION_LEVEL_READ_COMMITTED
        : IsolationLevel.ISOLATION_LEVEL_READ_UNCOMMITTED;
  }

  /** Returns which records count, in words. */
  String words() {
    return readCommitted ? "read committed" : "read uncommitted";
  }
}
