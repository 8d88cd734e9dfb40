package io.whence.model;

import org.jspecify.annotations.Nullable;

/**
 * Which record lies at an offset, or next after it.
 *
 * @param outcome {@code FOUND}, {@code NO_TIMESTAMP} (the record is there, its time is not), {@code
 *     AFTER_END} or {@code EMPTY}
 * @param exact whether the record lies at the very offset asked about
 * @param record the record; null unless {@code FOUND} or {@code NO_TIMESTAMP}
 * @param bounds the bounds that the answer was given in
 * @param startCut the offset lies below the log start
 * @param origin where the answer came from
 */
public record OffsetResolution(
    Outcome outcome,
    boolean exact,
    @Nullable RecordStamp record,
    LogBounds bounds,
    boolean startCut,
    Origin origin) {}
