package io.whence.source.kafka;

import io.whence.model.LogBounds;
import io.whence.model.Origin;
import io.whence.model.Outcome;
import io.whence.model.RecordStamp;
import io.whence.model.Resolution;
import io.whence.model.TimestampType;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the offsets that a leader tells mean, in the bounds that it told before. Thread safety:
 * immutable.
 *
 * @param bounds where the log begins and ends for the reader
 */
record BrokerAnswer(LogBounds bounds) {
  Resolution earliest() {
    return answer(Outcome.FOUND, bounds.logStartOffset(), null, false);
  }

  Resolution latest() {
    return answer(Outcome.FOUND, bounds.endOffset(), null, false);
  }

  /**
   * The leader does not say whether a record at the log start is the first of the log; it is taken
   * for that if it is right at the start.
   */
  Resolution atOrAfter(LeaderOffset hit) {
    if (hit.isFound()) {
      return found(hit, isCut() && hit.offset() == bounds.logStartOffset());
    }
    return isEmpty()
        ? answer(Outcome.EMPTY, 0, null, isCut())
        : answer(Outcome.AFTER_END, 0, null, false);
  }

  /**
   * The leader looks for the maximum in records that are gone or not to be seen, too.
   *
   * @return empty if what it says is no answer
   */
  Optional<Resolution> maxTimestamp(LeaderOffset hit) {
    if (isEmpty() && !hit.isFound()) {
      return Optional.of(answer(Outcome.EMPTY, 0, null, false));
    }
    if (!hit.isFound() || hit.offset() < bounds.logStartOffset()) {
      return Optional.empty();
    }
    return hit.timestampMs() < 0
        ? Optional.of(answer(Outcome.NO_TIMESTAMP, 0, null, false))
        : Optional.of(found(hit, false));
  }

  private boolean isEmpty() {
    return bounds.logStartOffset() == bounds.endOffset();
  }

  private boolean isCut() {
    return bounds.logStartOffset() > 0;
  }

  /** What was written since the bounds were told is to be seen as well. */
  private Resolution found(LeaderOffset hit, boolean startCut) {
    LogBounds grown =
        new LogBounds(bounds.logStartOffset(), Math.max(bounds.endOffset(), hit.offset() + 1));
    RecordStamp record =
        new RecordStamp(hit.offset(), hit.timestampMs(), TimestampType.UNKNOWN, hit.leaderEpoch());
    return new Resolution(Outcome.FOUND, hit.offset(), record, 0, grown, startCut, Origin.BROKER);
  }

  private Resolution answer(
      Outcome outcome, long offset, @Nullable RecordStamp record, boolean startCut) {
    return new Resolution(outcome, offset, record, 0, bounds, startCut, Origin.BROKER);
  }
}
