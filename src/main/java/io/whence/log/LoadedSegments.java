package io.whence.log;

import java.util.List;

/**
 * What was found in the directory of a partition.
 *
 * @param segments the segments, by base offset; at least one
 * @param damages what can't be read, by offset
 * @param logStartOffset the earliest offset that a client may read, inclusive
 */
record LoadedSegments(List<LogSegment> segments, List<Damage> damages, long logStartOffset) {}
