package io.whence.resolve;

import io.whence.log.LogSnapshot;
import io.whence.model.Cancellation;
import io.whence.model.IsolationLevel;
import io.whence.model.OffsetRange;
import io.whence.model.OffsetResolution;
import io.whence.model.Position;
import io.whence.model.RecordTimes;
import io.whence.model.Resolution;
import io.whence.model.TimeWindow;
import io.whence.model.TimestampSurvey;
import io.whence.model.UnreadRecords;
import io.whence.model.WindowResolution;

/**
 * Answers questions about one snapshot of a log. Every answer equals the one of a brute-force scan
 * of the visible records (I5), or fails with a {@link io.whence.model.WhenceException}: {@code
 * DAMAGED_LOG}, {@code STORAGE_ERROR}, or {@code DEADLINE_EXCEEDED} from the cancellation. Reads
 * files where nothing else is said; not for an event loop then. Thread safety: thread-safe.
 */
public final class LogResolver {
  /** Answers which offset a position stands for. */
  public Resolution resolve(
      LogSnapshot log, Position position, IsolationLevel isolation, Cancellation cancellation) {
    PositionAnswer answer = new PositionAnswer();
    return resolveFromMemory(log, position, isolation, answer)
        ? answer.toResolution()
        : resolveFromLog(log, position, isolation, cancellation);
  }

  /** Answers as {@link #resolve} does, without a look at memory, which has no answer or may not. */
  public Resolution resolveFromLog(
      LogSnapshot log, Position position, IsolationLevel isolation, Cancellation cancellation) {
    return new PositionResolver(new RecordSearch(log, isolation, cancellation)).resolve(position);
  }

  /**
   * Answers which offset a position stands for, if that takes no file: reads nothing, waits for
   * nothing and makes no garbage, so an event loop may call it.
   *
   * @param answer gets the answer; what is in it afterwards has no meaning if there is none
   * @return whether there is an answer; if not, {@link #resolveFromLog} has it
   */
  public boolean resolveFromMemory(
      LogSnapshot log, Position position, IsolationLevel isolation, PositionAnswer answer) {
    return answer.resolver().resolve(log, position, isolation, answer);
  }

  /** Answers which offsets hold the records of a window. */
  public WindowResolution resolveWindow(
      LogSnapshot log, TimeWindow window, IsolationLevel isolation, Cancellation cancellation) {
    return new WindowResolver(new RecordSearch(log, isolation, cancellation), window).resolve();
  }

  /**
   * Answers which record lies at an offset, or next after it.
   *
   * @param offset 0 or above
   */
  public OffsetResolution resolveOffset(
      LogSnapshot log, long offset, IsolationLevel isolation, Cancellation cancellation) {
    return new OffsetResolver(new RecordSearch(log, isolation, cancellation)).resolve(offset);
  }

  /**
   * Counts the visible records of a range of offsets, from the block figures in memory where these
   * suffice.
   *
   * @param range clipped to what a reader may see
   */
  public long countRecords(
      LogSnapshot log, OffsetRange range, IsolationLevel isolation, Cancellation cancellation) {
    RecordSearch search = new RecordSearch(log, isolation, cancellation);
    RecordCounter counter = new RecordCounter();
    visit(search, range.startOffset(), range.endOffset(), counter);
    return counter.recordCount();
  }

  /**
   * Sums up the visible records from an offset on. Reads the block of the first one, and those
   * whose figures don't suffice.
   *
   * @param fromOffset 0 or above; what is below the log start counts from there
   */
  public UnreadRecords unread(
      LogSnapshot log, long fromOffset, IsolationLevel isolation, Cancellation cancellation) {
    RecordSearch search = new RecordSearch(log, isolation, cancellation);
    UnreadCounter counter = new UnreadCounter();
    visit(search, fromOffset, search.bounds().endOffset(), counter);
    return counter.sum();
  }

  /**
   * Sums up the times of the visible records of a range, from the block figures in memory where
   * these suffice.
   *
   * @param range clipped to what a reader may see
   */
  public RecordTimes times(
      LogSnapshot log, OffsetRange range, IsolationLevel isolation, Cancellation cancellation) {
    RecordSearch search = new RecordSearch(log, isolation, cancellation);
    TimesCounter counter = new TimesCounter();
    visit(search, range.startOffset(), range.endOffset(), counter);
    return counter.sum();
  }

  /**
   * Finds what is unusual about the timestamps of all records that a reader of uncommitted records
   * sees and that are here. Reads the blocks that have some.
   *
   * @param nowMs the clock; what lies after it is in the future
   */
  public TimestampSurvey surveyTimestamps(LogSnapshot log, long nowMs, Cancellation cancellation) {
    RecordSearch search = new RecordSearch(log, IsolationLevel.READ_UNCOMMITTED, cancellation);
    TimestampSurveyor surveyor = new TimestampSurveyor(nowMs);
    visit(search, log.firstOffset(), search.bounds().endOffset(), surveyor);
    return surveyor.survey();
  }

  private static void visit(
      RecordSearch search, long startOffset, long endOffset, RangeVisitor visitor) {
    long start = Math.max(startOffset, search.bounds().logStartOffset());
    long end = Math.min(endOffset, search.bounds().endOffset());
    // What is next to a range of no offsets doesn't matter, whatever its state.
    if (start < end) {
      search.requireReadable(start, end);
      search.visit(new OffsetRange(start, end), visitor);
    }
  }
}
