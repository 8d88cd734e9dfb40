package io.whence.bench.follow;

/** Reads topics from their start to their end. */
interface Reader {
  /** Reads all records of a topic; returns how long that took, in ns, without the closing. */
  long read(BenchTopic topic) throws Exception;
}
