package io.whence.source;

import io.whence.model.IsolationLevel;
import io.whence.model.TopicPartition;

/**
 * Which records to read.
 *
 * @param partition of which partition
 * @param offset from where on, inclusive; between log start offset and end
 * @param maxRecords how many at the most
 * @param maxBytes how many bytes of keys, values and headers at the most; one record is always
 *     given, if the heap has room for it
 * @param isolation what may be seen
 */
public record ReadRange(
    TopicPartition partition,
    long offset,
    int maxRecords,
    long maxBytes,
    IsolationLevel isolation) {}
