package io.whence.model;

/**
 * The bounds of what a reader may see of a partition.
 *
 * @param logStartOffset the earliest offset, inclusive
 * @param endOffset the high watermark or the last stable offset, exclusive
 */
public record LogBounds(long logStartOffset, long endOffset) {}
