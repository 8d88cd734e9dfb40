package io.whence.bench;

/** One call after the other; only {@link #call} is timed. Thread safety: single-writer. */
public interface Caller {
  /** Makes the next request. */
  void prepare() throws Exception;

  /** Sends it and waits for the answer. */
  void call() throws Exception;

  /** Checks the answer. */
  void check();
}
