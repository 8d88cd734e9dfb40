package io.whence.testkit;

import io.whence.model.IsolationLevel;
import io.whence.model.LogBounds;
import io.whence.model.OffsetRange;
import io.whence.model.OffsetResolution;
import io.whence.model.Origin;
import io.whence.model.Outcome;
import io.whence.model.Position;
import io.whence.model.RecordStamp;
import io.whence.model.Resolution;
import io.whence.model.TimeWindow;
import io.whence.model.UnreadRecords;
import io.whence.model.WindowResolution;
import io.whence.testkit.OracleRecord.Kind;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The oracle: answers every question by looking at every record, in the words of the definition.
 * Slow on purpose; shares no code with what it judges. Its answers say {@link Origin#LOG_SCAN} and
 * leave offsets at 0 where there is none; {@link #comparable(Resolution)} brings other answers to
 * this form. Thread safety: immutable.
 */
public final class BruteForce {
  private final List<OracleRecord> records;
  private final long logStart;
  private final long highWatermark;
  private final long lastStableOffset;

  /**
   * Makes an oracle of one log.
   *
   * @param records all records, by offset, also those that nobody may see
   * @param logStart the log start offset, inclusive
   * @param highWatermark the end of what is committed, exclusive
   * @param lastStableOffset the end of what is decided, exclusive
   */
  public BruteForce(
      List<OracleRecord> records, long logStart, long highWatermark, long lastStableOffset) {
    this.records = List.copyOf(records);
    this.logStart = logStart;
    this.highWatermark = highWatermark;
    this.lastStableOffset = lastStableOffset;
    for (int i = 1; i < records.size(); i++) {
      if (records.get(i - 1).offset() >= records.get(i).offset()) {
        throw new IllegalArgumentException(
            "offset " + records.get(i).offset() + " follows " + records.get(i - 1).offset());
      }
    }
  }

  /**
   * Returns the answer in the form of the oracle: origin and offsets without meaning are levelled.
   */
  public static Resolution comparable(Resolution answer) {
    return new Resolution(
        answer.outcome(),
        answer.outcome() == Outcome.FOUND ? answer.offset() : 0,
        answer.record(),
        answer.boundaryOffset(),
        answer.bounds(),
        answer.startCut(),
        Origin.LOG_SCAN);
  }

  /** Returns the answer in the form of the oracle: the origin is levelled. */
  public static WindowResolution comparable(WindowResolution answer) {
    return new WindowResolution(
        answer.outcome(),
        answer.range(),
        answer.recordCount(),
        answer.outsideCount(),
        answer.firstRecord(),
        answer.lastRecord(),
        answer.bounds(),
        answer.startCut(),
        Origin.LOG_SCAN);
  }

  /** Returns the answer in the form of the oracle: the origin is levelled. */
  public static OffsetResolution comparable(OffsetResolution answer) {
    return new OffsetResolution(
        answer.outcome(),
        answer.exact(),
        answer.record(),
        answer.bounds(),
        answer.startCut(),
        Origin.LOG_SCAN);
  }

  /** Returns every record, by offset, also those that nobody may see. */
  public List<OracleRecord> records() {
    return records;
  }

  /** Returns the records that a reader of this isolation level may see, by offset. */
  public List<OracleRecord> visible(IsolationLevel isolation) {
    return all(isolation).toList();
  }

  /** Returns the bounds of what a reader of this isolation level may see. */
  public LogBounds bounds(IsolationLevel isolation) {
    return new LogBounds(
        logStart, isolation == IsolationLevel.READ_COMMITTED ? lastStableOffset : highWatermark);
  }

  /** Answers which offset a position stands for. */
  public Resolution resolve(Position position, IsolationLevel isolation) {
    if (position instanceof Position.Earliest) {
      return found(logStart, first(isolation, r -> true), 0, isolation, false);
    }
    if (position instanceof Position.Latest) {
      return found(bounds(isolation).endOffset(), Optional.empty(), 0, isolation, false);
    }
    if (timed(isolation).findAny().isEmpty()) {
      return nothingTimed(position, isolation);
    }
    if (position instanceof Position.AtOrAfter p) {
      return atOrAfter(p.targetTimestampMs(), isolation);
    }
    if (position instanceof Position.AtOrBefore p) {
      return atOrBefore(p.targetTimestampMs(), isolation);
    }
    if (position instanceof Position.AllAfter p) {
      return allAfter(p.targetTimestampMs(), isolation);
    }
    return maxTimestamp(isolation);
  }

  private Resolution nothingTimed(Position position, IsolationLevel isolation) {
    long boundary = position instanceof Position.AllAfter ? logStart : 0;
    boolean startCut = !(position instanceof Position.MaxTimestamp);
    return notFound(emptyOrNoTimestamp(isolation), boundary, isolation, startCut);
  }

  private Resolution atOrAfter(long target, IsolationLevel isolation) {
    Optional<OracleRecord> match =
        timed(isolation).filter(r -> r.timestampMs() >= target).findFirst();
    return match.isEmpty()
        ? notFound(Outcome.AFTER_END, 0, isolation, false)
        : found(match.get().offset(), match, 0, isolation, isFirstVisible(match.get(), isolation));
  }

  private Resolution atOrBefore(long target, IsolationLevel isolation) {
    Optional<OracleRecord> match = last(timed(isolation).filter(r -> r.timestampMs() <= target));
    return match.isEmpty()
        ? notFound(Outcome.BEFORE_START, 0, isolation, true)
        : found(match.get().offset(), match, 0, isolation, false);
  }

  private Resolution allAfter(long target, IsolationLevel isolation) {
    Optional<OracleRecord> lastBefore =
        last(timed(isolation).filter(r -> r.timestampMs() < target));
    long boundary = lastBefore.map(r -> r.offset() + 1).orElse(logStart);
    boolean startCut = boundary == logStart;
    if (timed(isolation).noneMatch(r -> r.offset() >= boundary)) {
      return notFound(Outcome.AFTER_END, boundary, isolation, startCut);
    }
    Optional<OracleRecord> next = first(isolation, r -> r.offset() >= boundary);
    return found(boundary, next, boundary, isolation, startCut);
  }

  private Resolution maxTimestamp(IsolationLevel isolation) {
    long largest = timed(isolation).mapToLong(OracleRecord::timestampMs).max().orElseThrow();
    Optional<OracleRecord> match = first(isolation, r -> r.timestampMs() == largest);
    return found(match.orElseThrow().offset(), match, 0, isolation, false);
  }

  /** Answers which offsets hold the records of a window. */
  public WindowResolution resolveWindow(TimeWindow window, IsolationLevel isolation) {
    List<OracleRecord> inside =
        all(isolation).filter(r -> r.isTimed() && window.contains(r.timestampMs())).toList();
    if (inside.isEmpty()) {
      return outsideWindow(window, isolation);
    }
    OracleRecord first = inside.get(0);
    OracleRecord last = inside.get(inside.size() - 1);
    OffsetRange range = new OffsetRange(first.offset(), last.offset() + 1);
    long count =
        all(isolation)
            .filter(r -> range.startOffset() <= r.offset() && r.offset() < range.endOffset())
            .count();
    return new WindowResolution(
        Outcome.FOUND,
        range,
        count,
        count - inside.size(),
        first.stamp(),
        last.stamp(),
        bounds(isolation),
        logStart > 0 && isFirstVisible(first, isolation),
        Origin.LOG_SCAN);
  }

  private WindowResolution outsideWindow(TimeWindow window, IsolationLevel isolation) {
    Outcome outcome;
    if (timed(isolation).findAny().isEmpty()) {
      outcome = emptyOrNoTimestamp(isolation);
    } else if (timed(isolation).allMatch(r -> r.timestampMs() < window.fromMs())) {
      outcome = Outcome.AFTER_END;
    } else if (timed(isolation).allMatch(r -> r.timestampMs() >= window.toMs())) {
      outcome = Outcome.BEFORE_START;
    } else {
      outcome = Outcome.NONE_IN_WINDOW;
    }
    boolean startCut = outcome != Outcome.AFTER_END && outcome != Outcome.NONE_IN_WINDOW;
    return new WindowResolution(
        outcome,
        null,
        0,
        0,
        null,
        null,
        bounds(isolation),
        logStart > 0 && startCut,
        Origin.LOG_SCAN);
  }

  /** Answers which record lies at an offset, or next after it. */
  public OffsetResolution resolveOffset(long offset, IsolationLevel isolation) {
    Optional<OracleRecord> next = first(isolation, r -> r.offset() >= offset);
    Outcome outcome;
    if (next.isEmpty()) {
      outcome = all(isolation).findAny().isEmpty() ? Outcome.EMPTY : Outcome.AFTER_END;
    } else {
      outcome = next.get().isTimed() ? Outcome.FOUND : Outcome.NO_TIMESTAMP;
    }
    boolean exact = next.filter(r -> r.offset() == offset).isPresent();
    RecordStamp stamp = next.map(OracleRecord::stamp).orElse(null);
    boolean startCut = logStart > 0 && offset < logStart;
    return new OffsetResolution(
        outcome, exact, stamp, bounds(isolation), startCut, Origin.LOG_SCAN);
  }

  /** Sums up the records from an offset on. */
  public UnreadRecords unread(long fromOffset, IsolationLevel isolation) {
    List<OracleRecord> unread =
        all(isolation).filter(record -> record.offset() >= fromOffset).toList();
    return new UnreadRecords(
        unread.size(),
        unread.isEmpty() ? null : unread.get(0).stamp(),
        unread.stream()
            .filter(OracleRecord::isTimed)
            .mapToLong(OracleRecord::timestampMs)
            .max()
            .orElse(-1));
  }

  private Stream<OracleRecord> all(IsolationLevel isolation) {
    LogBounds bounds = bounds(isolation);
    return records.stream()
        .filter(r -> bounds.logStartOffset() <= r.offset() && r.offset() < bounds.endOffset())
        .filter(
            r ->
                isolation == IsolationLevel.READ_COMMITTED
                    ? r.kind() == Kind.DATA
                    : r.kind() != Kind.CONTROL);
  }

  private Stream<OracleRecord> timed(IsolationLevel isolation) {
    return all(isolation).filter(OracleRecord::isTimed);
  }

  private Optional<OracleRecord> first(IsolationLevel isolation, Predicate<OracleRecord> wanted) {
    return all(isolation).filter(wanted).findFirst();
  }

  private static Optional<OracleRecord> last(Stream<OracleRecord> matches) {
    return matches.max(Comparator.comparingLong(OracleRecord::offset));
  }

  private boolean isFirstVisible(OracleRecord record, IsolationLevel isolation) {
    return first(isolation, r -> true).filter(record::equals).isPresent();
  }

  private Outcome emptyOrNoTimestamp(IsolationLevel isolation) {
    return all(isolation).findAny().isEmpty() ? Outcome.EMPTY : Outcome.NO_TIMESTAMP;
  }

  private Resolution found(
      long offset,
      Optional<OracleRecord> record,
      long boundary,
      IsolationLevel isolation,
      boolean startCut) {
    return new Resolution(
        Outcome.FOUND,
        offset,
        record.map(OracleRecord::stamp).orElse(null),
        boundary,
        bounds(isolation),
        logStart > 0 && startCut,
        Origin.LOG_SCAN);
  }

  private Resolution notFound(
      Outcome outcome, long boundary, IsolationLevel isolation, boolean startCut) {
    return new Resolution(
        outcome, 0, null, boundary, bounds(isolation), logStart > 0 && startCut, Origin.LOG_SCAN);
  }
}
