package io.whence.resolve;

import io.whence.model.OffsetResolution;
import io.whence.model.Outcome;
import io.whence.model.RecordStamp;
import java.util.Optional;

/** Answers offsets. Thread safety: single-writer; one a question. */
final class OffsetResolver {
  private final RecordSearch search;

  OffsetResolver(RecordSearch search) {
    this.search = search;
  }

  OffsetResolution resolve(long offset) {
    boolean startCut = offset < search.bounds().logStartOffset();
    Optional<RecordStamp> hit = search.firstFrom(offset);
    search.requireReadable(
        offset, hit.map(RecordStamp::offset).orElse(search.bounds().endOffset()));
    if (hit.isEmpty()) {
      boolean any = search.hasRecords(false);
      if (!any) {
        search.requireAllReadable();
      }
      Outcome outcome = any ? Outcome.AFTER_END : Outcome.EMPTY;
      return new OffsetResolution(outcome, false, null, search.bounds(), startCut, search.origin());
    }
    RecordStamp record = hit.get();
    return new OffsetResolution(
        record.hasTimestamp() ? Outcome.FOUND : Outcome.NO_TIMESTAMP,
        record.offset() == offset,
        record,
        search.bounds(),
        startCut,
        search.origin());
  }
}
