package io.whence.model;

import org.jspecify.annotations.Nullable;

/**
 * Which offsets hold the records of a time window in one partition.
 *
 * @param outcome what the lookup came to
 * @param range the smallest range that holds every visible record of the window; null unless {@code
 *     FOUND}
 * @param recordCount how many visible records the range holds
 * @param outsideCount how many of these are not in the window
 * @param firstRecord the first record of the range; null unless {@code FOUND}
 * @param lastRecord the last record of the range; null unless {@code FOUND}
 * @param bounds the bounds that the answer was given in
 * @param startCut records below the log start, now gone, could have been in the window
 * @param origin where the answer came from
 */
public record WindowResolution(
    Outcome outcome,
    @Nullable OffsetRange range,
    long recordCount,
    long outsideCount,
    @Nullable RecordStamp firstRecord,
    @Nullable RecordStamp lastRecord,
    LogBounds bounds,
    boolean startCut,
    Origin origin) {}
