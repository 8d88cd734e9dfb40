package io.whence.model;

import org.jspecify.annotations.Nullable;

/**
 * Which offset a position stands for in one partition.
 *
 * @param outcome what the lookup came to
 * @param offset the offset; meaningful only when {@code FOUND}
 * @param record the record at the offset or the first visible one after it; null where there is
 *     none and for {@link Position.Latest}
 * @param boundaryOffset for {@link Position.AllAfter}, whatever the outcome: the lowest offset from
 *     which on no visible record is before the target; 0 for other positions
 * @param bounds the bounds that the answer was given in
 * @param startCut records below the log start, now gone, could have changed the answer
 * @param origin where the answer came from
 */
public record Resolution(
    Outcome outcome,
    long offset,
    @Nullable RecordStamp record,
    long boundaryOffset,
    LogBounds bounds,
    boolean startCut,
    Origin origin) {}
