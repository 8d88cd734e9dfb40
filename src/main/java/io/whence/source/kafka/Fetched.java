package io.whence.source.kafka;

/**
 * What was fetched of a partition since the start of the server. Thread safety: immutable.
 *
 * @param endOffset up to where, exclusive
 * @param bytes how much, as the leader has it; some of it twice where the log was cut
 */
record Fetched(long endOffset, long bytes) {}
