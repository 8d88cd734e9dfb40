package io.whence.log;

/**
 * A segment as operators see it.
 *
 * @param baseOffset the smallest offset that it may hold
 * @param nextOffset the offset after its last record, exclusive
 * @param sizeBytes how many bytes its .log file holds
 * @param timestamps the timestamps of its records
 * @param active whether it is the one that is appended to
 * @param preloaded whether its timeline is in memory
 * @param timelineBytes how much memory its timeline takes, or would take
 */
public record SegmentInfo(
    long baseOffset,
    long nextOffset,
    long sizeBytes,
    TimestampHealth timestamps,
    boolean active,
    boolean preloaded,
    long timelineBytes) {}
