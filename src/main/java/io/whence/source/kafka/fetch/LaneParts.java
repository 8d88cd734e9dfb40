package io.whence.source.kafka.fetch;

/**
 * What the parts of a lane share. Thread safety: immutable.
 *
 * @param name the name of the lane
 * @param limits its bounds
 * @param events is told what happens
 * @param worker calls the feeds
 * @param inbox takes what the I/O thread has to do
 */
record LaneParts(
    String name, FetchLimits limits, FetchEvents events, FeedWorker worker, LaneInbox inbox) {}
