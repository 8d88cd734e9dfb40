package io.whence.log;

/**
 * A segment as operators see it.
 *
 * @param baseOffset the smallest offset that it may hold
 * @param nextOffset the offset after its last record, exclusive
 * @param sizeBytes how many bytes its .log file holds
 * @param timestamps the timestamps of its records
 * @param active whether it is the one that is appended to
 */
public record SegmentInfo(
    long baseOffset, long nextOffset, long sizeBytes, TimestampHealth timestamps, boolean active) {}
