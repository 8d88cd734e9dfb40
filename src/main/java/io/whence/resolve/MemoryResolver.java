package io.whence.resolve;

import io.whence.log.LogSnapshot;
import io.whence.log.TimelineSearch;
import io.whence.log.TimelineSearch.Result;
import io.whence.model.IsolationLevel;
import io.whence.model.Outcome;
import io.whence.model.Position;
import io.whence.timeline.TimelineHit;

/**
 * Answers positions from timelines, as {@link PositionResolver} does from the log, or says that it
 * can't. Makes no garbage. Thread safety: single-writer.
 */
final class MemoryResolver {
  private final TimelineHit hit = new TimelineHit();
  private final TimelineHit next = new TimelineHit();
  private final TimelineHit scratch = new TimelineHit();

  /** Returns whether there is an answer. */
  boolean resolve(
      LogSnapshot log, Position position, IsolationLevel isolation, PositionAnswer answer) {
    answer.begin(log, isolation);
    if (position instanceof Position.Latest) {
      answer.found(answer.endOffset());
      return true;
    }
    TimelineSearch search = log.timelines(isolation);
    if (search == null) {
      return false;
    }
    if (position instanceof Position.AtOrAfter p) {
      return atOrAfter(log, search, p.targetTimestampMs(), isolation, answer);
    } else if (position instanceof Position.AtOrBefore p) {
      return atOrBefore(log, search, p.targetTimestampMs(), isolation, answer);
    } else if (position instanceof Position.AllAfter p) {
      return allAfter(log, search, p.targetTimestampMs(), isolation, answer);
    } else if (position instanceof Position.Earliest) {
      return earliest(log, search, isolation, answer);
    }
    return maxTimestamp(log, search, isolation, answer);
  }

  private boolean atOrAfter(
      LogSnapshot log,
      TimelineSearch search,
      long targetMs,
      IsolationLevel isolation,
      PositionAnswer answer) {
    Result result = search.firstAtOrAfter(Math.max(targetMs, 0), hit);
    if (result == Result.NOT_LOADED) {
      return false;
    }
    boolean found = result == Result.FOUND;
    long end = found ? hit.offset() : answer.endOffset();
    requireReadable(log, answer.logStartOffset(), end, Math.max(targetMs, 0), isolation);
    if (!found) {
      return nothingAfter(log, search, isolation, answer);
    }
    answer.found(hit.offset());
    setRecord(hit, answer);
    return !isCut(answer) || log.head() != null || setStartCutIfFirst(search, answer);
  }

  /** What is gone may have been at or after the time, too, if this is the first that is left. */
  private boolean setStartCutIfFirst(TimelineSearch search, PositionAnswer answer) {
    Result first = search.first(scratch);
    answer.setStartCut(first == Result.FOUND && scratch.offset() == answer.offset());
    return first != Result.NOT_LOADED;
  }

  private boolean atOrBefore(
      LogSnapshot log,
      TimelineSearch search,
      long targetMs,
      IsolationLevel isolation,
      PositionAnswer answer) {
    Result result = search.lastAtOrBefore(targetMs, hit, next);
    if (result == Result.NOT_LOADED) {
      return false;
    }
    boolean found = result == Result.FOUND;
    requireReadable(
        log, found ? hit.offset() + 1 : answer.logStartOffset(), answer.endOffset(), isolation);
    if (!found) {
      return nothing(search, Outcome.BEFORE_START, isCut(answer), answer);
    }
    answer.found(hit.offset());
    setRecord(hit, answer);
    return true;
  }

  private boolean allAfter(
      LogSnapshot log,
      TimelineSearch search,
      long targetMs,
      IsolationLevel isolation,
      PositionAnswer answer) {
    // Nothing is before the smallest of all times, and one less would be the largest.
    Result before =
        targetMs == Long.MIN_VALUE ? Result.NONE : search.lastAtOrBefore(targetMs - 1, hit, next);
    if (before == Result.NOT_LOADED) {
      return false;
    }
    boolean someBefore = before == Result.FOUND;
    long boundary = someBefore ? hit.offset() + 1 : answer.logStartOffset();
    requireReadable(log, boundary, answer.endOffset(), isolation);
    answer.setBoundaryOffset(boundary);
    answer.setStartCut(isCut(answer) && boundary == answer.logStartOffset());
    Result following = someBefore ? search.next(hit, next) : search.first(next);
    if (following == Result.NOT_LOADED) {
      return false;
    }
    // A record with a time behind the boundary is the last one with a time, or lies before that.
    Result lastTimed = search.lastAtOrBefore(Long.MAX_VALUE, hit, scratch);
    if (lastTimed == Result.NOT_LOADED) {
      return false;
    }
    if (lastTimed == Result.FOUND && hit.offset() >= boundary) {
      answer.found(boundary);
      setRecord(next, answer);
      return true;
    }
    if (someBefore) {
      answer.nothing(Outcome.AFTER_END);
      return true;
    }
    return emptyOrWithoutTimestamp(search, answer);
  }

  private boolean earliest(
      LogSnapshot log, TimelineSearch search, IsolationLevel isolation, PositionAnswer answer) {
    Result first = search.first(hit);
    answer.found(answer.logStartOffset());
    // The offset is known whatever is damaged; which record comes first may not be.
    boolean known =
        first == Result.FOUND
            && (log.isWhole(isolation)
                || log.isReadable(answer.logStartOffset(), hit.offset(), isolation));
    if (known) {
      setRecord(hit, answer);
    }
    return first != Result.NOT_LOADED;
  }

  private boolean maxTimestamp(
      LogSnapshot log, TimelineSearch search, IsolationLevel isolation, PositionAnswer answer) {
    Result result = search.firstOfLargest(hit);
    if (result == Result.NOT_LOADED) {
      return false;
    }
    long fromMs = result == Result.FOUND ? hit.timestampMs() : Long.MIN_VALUE;
    requireReadable(log, answer.logStartOffset(), answer.endOffset(), fromMs, isolation);
    if (result == Result.NONE) {
      return emptyOrWithoutTimestamp(search, answer);
    }
    answer.found(hit.offset());
    setRecord(hit, answer);
    return true;
  }

  /** What lies before all that is late enough tells whether there is anything. */
  private boolean nothingAfter(
      LogSnapshot log, TimelineSearch search, IsolationLevel isolation, PositionAnswer answer) {
    if (log.head() != null && search.anyRecord(true, scratch) == Result.NONE) {
      requireReadable(log, answer.logStartOffset(), answer.endOffset(), isolation);
    }
    return nothing(search, Outcome.AFTER_END, false, answer);
  }

  private boolean nothing(
      TimelineSearch search, Outcome whenTimed, boolean startCutWhenTimed, PositionAnswer answer) {
    Result timed = search.anyRecord(true, scratch);
    if (timed == Result.NOT_LOADED) {
      return false;
    }
    if (timed == Result.FOUND) {
      answer.nothing(whenTimed);
      answer.setStartCut(startCutWhenTimed);
      return true;
    }
    answer.setStartCut(isCut(answer));
    return emptyOrWithoutTimestamp(search, answer);
  }

  private boolean emptyOrWithoutTimestamp(TimelineSearch search, PositionAnswer answer) {
    Result any = search.anyRecord(false, scratch);
    answer.nothing(any == Result.FOUND ? Outcome.NO_TIMESTAMP : Outcome.EMPTY);
    return any != Result.NOT_LOADED;
  }

  private static void requireReadable(
      LogSnapshot log, long startOffset, long endOffset, IsolationLevel isolation) {
    requireReadable(log, startOffset, endOffset, Long.MIN_VALUE, isolation);
  }

  private static void requireReadable(
      LogSnapshot log, long startOffset, long endOffset, long fromMs, IsolationLevel isolation) {
    if (!log.isWhole(isolation)) {
      log.requireReadable(startOffset, endOffset, fromMs, isolation);
    }
  }

  private static void setRecord(TimelineHit record, PositionAnswer answer) {
    answer.setRecord(
        record.offset(), record.timestampMs(), record.timestampType(), record.leaderEpoch());
  }

  private static boolean isCut(PositionAnswer answer) {
    return answer.logStartOffset() > 0;
  }
}
