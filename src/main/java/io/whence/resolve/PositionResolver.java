package io.whence.resolve;

import io.whence.model.Outcome;
import io.whence.model.Position;
import io.whence.model.RecordStamp;
import io.whence.model.Resolution;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Answers positions. Thread safety: single-writer; one a question. */
final class PositionResolver {
  private final RecordSearch search;
  private final long logStartOffset;
  private final long endOffset;

  PositionResolver(RecordSearch search) {
    this.search = search;
    this.logStartOffset = search.bounds().logStartOffset();
    this.endOffset = search.bounds().endOffset();
  }

  Resolution resolve(Position position) {
    if (position instanceof Position.AtOrAfter p) {
      return atOrAfter(p.targetTimestampMs());
    } else if (position instanceof Position.AtOrBefore p) {
      return atOrBefore(p.targetTimestampMs());
    } else if (position instanceof Position.AllAfter p) {
      return allAfter(p.targetTimestampMs());
    } else if (position instanceof Position.Earliest) {
      return earliest();
    } else if (position instanceof Position.Latest) {
      return found(endOffset, null, 0, false);
    }
    return maxTimestamp();
  }

  private Resolution atOrAfter(long targetMs) {
    Optional<RecordStamp> hit = search.firstAtOrAfter(logStartOffset, Math.max(targetMs, 0));
    long end = hit.map(RecordStamp::offset).orElse(endOffset);
    search.requireReadable(logStartOffset, end, Math.max(targetMs, 0));
    if (hit.isEmpty()) {
      if (!search.hasRecords(true)) {
        search.requireAllReadable();
      }
      return nothing(Outcome.AFTER_END, false);
    }
    RecordStamp record = hit.get();
    return found(record.offset(), record, 0, isFirstOfCutLog(record));
  }

  private Resolution atOrBefore(long targetMs) {
    Optional<RecordStamp> hit = search.lastAtOrBefore(targetMs);
    search.requireReadable(
        hit.map(record -> record.offset() + 1).orElse(logStartOffset), endOffset);
    return hit.map(record -> found(record.offset(), record, 0, false))
        .orElseGet(() -> nothing(Outcome.BEFORE_START, isCut()));
  }

  private Resolution allAfter(long targetMs) {
    // Nothing is before the smallest of all times, and one less would be the largest.
    Optional<RecordStamp> lastBefore =
        targetMs == Long.MIN_VALUE ? Optional.empty() : search.lastAtOrBefore(targetMs - 1);
    long boundary = lastBefore.map(record -> record.offset() + 1).orElse(logStartOffset);
    search.requireReadable(boundary, endOffset);
    boolean startCut = isCut() && boundary == logStartOffset;
    if (search.firstAtOrAfter(boundary, 0).isPresent()) {
      RecordStamp record = search.firstFrom(boundary).orElse(null);
      return found(boundary, record, boundary, startCut);
    }
    Outcome outcome = lastBefore.isPresent() ? Outcome.AFTER_END : emptyOr(Outcome.NO_TIMESTAMP);
    return new Resolution(outcome, 0, null, boundary, search.bounds(), startCut, search.origin());
  }

  private Resolution earliest() {
    // The offset is known whatever is damaged; which record comes first may not be.
    Optional<RecordStamp> first =
        search
            .firstFrom(logStartOffset)
            .filter(record -> search.isReadable(logStartOffset, record.offset()));
    return found(logStartOffset, first.orElse(null), 0, false);
  }

  private Resolution maxTimestamp() {
    Optional<RecordStamp> hit = search.firstOfLargest();
    search.requireReadable(
        logStartOffset, endOffset, hit.map(RecordStamp::timestampMs).orElse(Long.MIN_VALUE));
    return hit.map(record -> found(record.offset(), record, 0, false))
        .orElseGet(
            () ->
                new Resolution(
                    emptyOr(Outcome.NO_TIMESTAMP),
                    0,
                    null,
                    0,
                    search.bounds(),
                    false,
                    search.origin()));
  }

  private Resolution found(
      long offset, @Nullable RecordStamp record, long boundaryOffset, boolean startCut) {
    return new Resolution(
        Outcome.FOUND, offset, record, boundaryOffset, search.bounds(), startCut, search.origin());
  }

  private Resolution nothing(Outcome whenTimed, boolean startCutWhenTimed) {
    boolean timed = search.hasRecords(true);
    Outcome outcome = timed ? whenTimed : emptyOr(Outcome.NO_TIMESTAMP);
    boolean startCut = timed ? startCutWhenTimed : isCut();
    return new Resolution(outcome, 0, null, 0, search.bounds(), startCut, search.origin());
  }

  private Outcome emptyOr(Outcome other) {
    return search.hasRecords(false) ? other : Outcome.EMPTY;
  }

  private boolean isFirstOfCutLog(RecordStamp record) {
    return isCut() && search.isFirst(record.offset());
  }

  private boolean isCut() {
    return logStartOffset > 0;
  }
}
