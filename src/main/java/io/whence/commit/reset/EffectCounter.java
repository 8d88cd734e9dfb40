package io.whence.commit.reset;

import io.whence.log.LogSnapshot;
import io.whence.model.Cancellation;
import io.whence.model.IsolationLevel;
import io.whence.model.LogBounds;
import io.whence.model.OffsetRange;
import io.whence.model.RecordStamp;
import io.whence.resolve.LogResolver;
import org.jspecify.annotations.Nullable;

/**
 * Counts what lies between two offsets of a log, as far as the log reaches. Thread safety:
 * immutable.
 */
final class EffectCounter {
  private final LogResolver resolver;
  private final IsolationLevel isolation;
  private final Cancellation cancellation;

  EffectCounter(LogResolver resolver, IsolationLevel isolation, Cancellation cancellation) {
    this.resolver = resolver;
    this.isolation = isolation;
    this.cancellation = cancellation;
  }

  LogBounds bounds(LogSnapshot log) {
    return log.bounds(isolation);
  }

  /** Returns the record at an offset, or the next one. */
  @Nullable RecordStamp recordAt(LogSnapshot log, long offset) {
    return resolver.resolveOffset(log, offset, isolation, cancellation).record();
  }

  /** Returns what it changes to go from one offset to another. */
  ResetEffect effect(LogSnapshot log, long before, long planned) {
    return new ResetEffect(
        count(log, before, planned), count(log, planned, before), recordAt(log, before));
  }

  /** Counts the records from one offset to a higher one; none if it isn't higher. */
  private long count(LogSnapshot log, long from, long to) {
    LogBounds bounds = log.bounds(isolation);
    long start = Math.max(from, bounds.logStartOffset());
    long end = Math.min(to, bounds.endOffset());
    return start < end
        ? resolver.countRecords(log, new OffsetRange(start, end), isolation, cancellation)
        : 0;
  }
}
