package io.whence.bench.follow;

/** Reads topics from their start to their end. */
interface Reader {
  /** Reads so many records of a topic; returns how long that took, in ns, without the closing. */
  long read(String topic, long records) throws Exception;
}
