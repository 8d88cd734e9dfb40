package io.whence.bench;

import java.util.List;

/** The callers of one peer in one cell, over all its rounds. Thread safety: single-writer. */
public interface Session extends AutoCloseable {
  /** Returns what runs side by side. */
  List<? extends Caller> callers();

  /** Throws if something else was answered or stored than should have been. */
  default void verify() throws Exception {}

  @Override
  void close();
}
