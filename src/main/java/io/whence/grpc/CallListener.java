package io.whence.grpc;

/** Is told what the services do, for metrics. Thread safety: implementations are thread-safe. */
public interface CallListener {
  /** Listens to nothing. */
  CallListener NOOP = new CallListener() {};

  /**
   * A call gave answers.
   *
   * @param rpc the name of the method
   * @param position the kind of position asked for, such as {@code at_or_after}; {@code none} where
   *     the method has none
   * @param outcome what they came to, such as {@code found}
   * @param count how many did so, above 0
   */
  default void onAnswers(String rpc, String position, String outcome, long count) {}

  /**
   * A call gave answers that came from somewhere.
   *
   * @param rpc the name of the method
   * @param path where they came from, such as {@code memory}
   * @param count how many did so, above 0
   */
  default void onLookups(String rpc, String path, long count) {}

  /** A call asked about so many partitions. */
  default void onPartitions(String rpc, int count) {}

  /**
   * Commits came to a result.
   *
   * @param result what they came to: an outcome, the reason of a refusal, or {@code replayed}
   * @param count how many did so, above 0
   */
  default void onCommits(String result, int count) {}

  /**
   * Entries of appends came to a result.
   *
   * @param result what they came to: {@code appended}, or the reason of a refusal
   * @param count how many did so, above 0
   */
  default void onAppends(String result, int count) {}

  /** A call was turned away because more work was waiting than the server takes. */
  default void onOverload(String rpc) {}

  /** A call was given up by its client, or passed its deadline, before its work was done. */
  default void onAbandoned(String rpc) {}

  /** A call or a partition failed by a fault of the server. */
  default void onFault(String rpc) {}
}
