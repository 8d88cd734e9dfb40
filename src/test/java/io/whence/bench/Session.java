package io.whence.bench;

import java.util.List;

/** The callers of one peer in one cell, over all its rounds. Thread safety: single-writer. */
interface Session extends AutoCloseable {
  /** Returns what runs side by side. */
  List<? extends Caller> callers();

  /** Reads back what was committed; throws if that is anything else than what was acknowledged. */
  default void verify() throws Exception {}

  @Override
  void close();
}
