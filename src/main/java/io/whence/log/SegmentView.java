package io.whence.log;

/**
 * A segment as one snapshot sees it. Thread safety: immutable.
 *
 * @param file its .log file, which may have grown since
 * @param index what the snapshot knows of it
 */
record SegmentView(SegmentFile file, SegmentIndex index) {}
