package io.whence.bench.lookup;

/** Asks prepared questions, one at a time. Thread safety: single-writer. */
interface LookupClient {
  /** Sends a question, by its number, and waits for the answer. */
  void ask(int question) throws Exception;

  /** Returns the offsets of the last answer, in the order of its partitions. */
  long[] offsets() throws Exception;
}
