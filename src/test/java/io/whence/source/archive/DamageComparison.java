package io.whence.source.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.whence.log.Damage;
import io.whence.log.LogSnapshot;
import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.IsolationLevel;
import io.whence.model.OffsetRange;
import io.whence.model.OffsetResolution;
import io.whence.model.Outcome;
import io.whence.model.Position;
import io.whence.model.Position.AllAfter;
import io.whence.model.Position.AtOrAfter;
import io.whence.model.Position.AtOrBefore;
import io.whence.model.Position.Earliest;
import io.whence.model.Position.Latest;
import io.whence.model.Position.MaxTimestamp;
import io.whence.model.Resolution;
import io.whence.model.TimeWindow;
import io.whence.model.WhenceException;
import io.whence.resolve.LogResolver;
import io.whence.testkit.BruteForce;
import io.whence.testkit.OracleRecord;
import java.util.List;
import java.util.function.Supplier;

/**
 * Asks a damaged log, and wants the answer of the records that are left where no lost one could
 * change it, and {@code DAMAGED_LOG} everywhere else:
 *
 * <pre>
 * question        answer                    fails if something is lost in
 * at_or_after     offset h; nothing         [log start, h); [log start, end)
 * at_or_before    offset h; nothing         (h, end); [log start, end)
 * all_after       boundary b                [b, end)
 * max_timestamp   any                       [log start, end)
 * window          any                       [log start, end)
 * offset o        offset h; nothing         [o, h); [o, end)
 * earliest        log start                 never; without a record if [log start, h) is
 * latest          end                       never
 * </pre>
 */
final class DamageComparison {
  private static final LogResolver RESOLVER = new LogResolver();
  private static final IsolationLevel ISOLATION = IsolationLevel.READ_UNCOMMITTED;

  private final LogSnapshot log;
  private final BruteForce oracle;
  private final List<OffsetRange> lost;
  private final long start;
  private final long end;
  private int answered;
  private int refused;

  DamageComparison(LogSnapshot log, List<OracleRecord> left, List<OffsetRange> lost) {
    this.log = log;
    this.lost = lost;
    this.start = log.logStartOffset();
    this.end = log.highWatermark();
    this.oracle = new BruteForce(left, start, end, end);
  }

  /** Returns how many questions were answered. */
  int answered() {
    return answered;
  }

  /** Returns how many questions failed. */
  int refused() {
    return refused;
  }

  void compareAll(List<Long> targets) {
    assertThat(log.damages().stream().map(Damage::range).filter(DamageComparison::isSome).toList())
        .isEqualTo(lost);
    named();
    for (long target : targets) {
      position(new AtOrAfter(target));
      position(new AtOrBefore(target));
      position(new AllAfter(target));
      TimeWindow window = new TimeWindow(target, Math.max(target, target + 5_000));
      expect(
          "" + window,
          isLost(start, end),
          () ->
              assertThat(
                      BruteForce.comparable(
                          RESOLVER.resolveWindow(log, window, ISOLATION, Cancellation.NONE)))
                  .isEqualTo(oracle.resolveWindow(window, ISOLATION)));
    }
    for (long offset = start; offset <= end; offset++) {
      offset(offset);
    }
  }

  private void named() {
    position(new MaxTimestamp());
    Resolution earliest = RESOLVER.resolve(log, new Earliest(), ISOLATION, Cancellation.NONE);
    Resolution expected = oracle.resolve(new Earliest(), ISOLATION);
    assertThat(earliest.offset()).isEqualTo(start);
    if (expected.record() == null || isLost(start, expected.record().offset())) {
      assertThat(earliest.record()).isNull();
    } else {
      assertThat(earliest.record()).isEqualTo(expected.record());
    }
    assertThat(RESOLVER.resolve(log, new Latest(), ISOLATION, Cancellation.NONE).offset())
        .isEqualTo(end);
  }

  private void position(Position position) {
    Resolution expected = oracle.resolve(position, ISOLATION);
    boolean found = expected.outcome() == Outcome.FOUND;
    long from = start;
    long to = end;
    if (position instanceof AtOrAfter && found) {
      to = expected.offset();
    } else if (position instanceof AtOrBefore && found) {
      from = expected.offset() + 1;
    } else if (position instanceof AllAfter) {
      from = expected.boundaryOffset();
    }
    expect(
        "" + position,
        isLost(from, to),
        () ->
            assertThat(
                    BruteForce.comparable(
                        RESOLVER.resolve(log, position, ISOLATION, Cancellation.NONE)))
                .isEqualTo(expected));
  }

  private void offset(long offset) {
    OffsetResolution expected = oracle.resolveOffset(offset, ISOLATION);
    long to = expected.record() == null ? end : expected.record().offset();
    expect(
        "offset " + offset,
        isLost(offset, to),
        () ->
            assertThat(
                    BruteForce.comparable(
                        RESOLVER.resolveOffset(log, offset, ISOLATION, Cancellation.NONE)))
                .isEqualTo(expected));
  }

  /** Where a log was cut is told with an empty range. */
  private static boolean isSome(OffsetRange range) {
    return range.startOffset() < range.endOffset();
  }

  private boolean isLost(long from, long to) {
    return lost.stream()
        .anyMatch(range -> Math.max(range.startOffset(), from) < Math.min(range.endOffset(), to));
  }

  private void expect(String question, boolean fails, Supplier<?> ask) {
    if (!fails) {
      Object unused = ask.get();
      answered++;
      return;
    }
    Throwable thrown = catchThrowable(ask::get);
    assertThat(thrown).as(question).isInstanceOf(WhenceException.class);
    WhenceException failure = (WhenceException) thrown;
    assertThat(failure.reason()).as(question).isEqualTo(ErrorReason.DAMAGED_LOG);
    assertThat(failure.metadata()).containsKeys("path", "position", "expected", "found");
    assertThat(failure.metadata().get("path")).endsWith(".log");
    refused++;
  }
}
