package io.whence.commit.reset;

import io.whence.commit.Group;
import io.whence.commit.MapGroupOffsets;
import io.whence.log.LogSnapshot;
import io.whence.model.Cancellation;
import io.whence.model.IsolationLevel;
import io.whence.model.LogBounds;
import io.whence.model.RecordStamp;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import io.whence.resolve.LogResolver;
import io.whence.resolve.RandomLog;
import io.whence.testkit.ManualClock;
import io.whence.testkit.OracleRecord;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Asks a planner about one log, and works out every answer again by looking at every record. Thread
 * safety: single-writer.
 */
final class RandomResets {
  private static final int COMMITS = 6;
  private static final int TIMES = 5;
  private static final TopicPartition PARTITION = new TopicPartition("t", 0);
  private static final TopicId ID = new TopicId(new UUID(0, 1));
  private static final TopicId OLD_ID = new TopicId(new UUID(0, 2));

  private final FixedLogs source;
  private final IsolationLevel isolation;
  private final Random random;
  private final LogBounds bounds;
  private final List<OracleRecord> visible;
  private final long[] times;
  private final ManualClock clock;
  private final ResetPlanner planner;

  RandomResets(RandomLog log, LogSnapshot snapshot, IsolationLevel isolation, long seed) {
    this.isolation = isolation;
    random = new Random(seed ^ isolation.ordinal());
    source = new FixedLogs().put(PARTITION, snapshot, ID);
    bounds = log.oracle().bounds(isolation);
    visible = log.oracle().visible(isolation);
    times = log.distinctTimestamps();
    clock = new ManualClock(times.length == 0 ? 0 : times[random.nextInt(times.length)]);
    planner = new ResetPlanner(new LogResolver(), clock);
  }

  /** Asks and compares; returns how many plans there were. */
  long askAll() {
    long asked = 0;
    for (int i = 0; i < COMMITS; i++) {
      OptionalLong before = i == 0 ? OptionalLong.empty() : OptionalLong.of(anyOffset());
      boolean stale = i == 1;
      for (ResetTarget target : targets()) {
        compare(target, before, stale);
        asked++;
      }
    }
    return asked;
  }

  private List<ResetTarget> targets() {
    List<ResetTarget> targets =
        new ArrayList<>(
            List.of(
                new ResetTarget.Earliest(),
                new ResetTarget.Latest(),
                new ResetTarget.MaxTimestamp(),
                new ResetTarget.Current(),
                new ResetTarget.Offset(anyOffset()),
                new ResetTarget.Offset(Long.MAX_VALUE),
                new ResetTarget.Offsets(Map.of(PARTITION, anyOffset())),
                new ResetTarget.ShiftBy(random.nextInt(41) - 20),
                new ResetTarget.ShiftBy(random.nextLong()),
                new ResetTarget.OfGroup(Group.empty("other")),
                new ResetTarget.OfGroup(group("other", anyOffset(), ID)),
                new ResetTarget.OfGroup(group("other", anyOffset(), OLD_ID)),
                new ResetTarget.AtOrAfter(0),
                new ResetTarget.AtOrAfter(Long.MAX_VALUE)));
    for (int i = 0; i < TIMES && times.length > 0; i++) {
      targets.add(new ResetTarget.AtOrAfter(times[random.nextInt(times.length)] + i % 3 - 1));
    }
    return targets;
  }

  /** Mostly inside the log, or next to one of its ends. */
  private long anyOffset() {
    long length = Math.min(bounds.endOffset() - bounds.logStartOffset(), 1 << 20);
    return switch (random.nextInt(5)) {
      case 0 -> Math.max(0, bounds.logStartOffset() - random.nextInt(3));
      case 1 -> bounds.endOffset() + random.nextInt(3);
      default -> bounds.logStartOffset() + random.nextInt((int) length + 1);
    };
  }

  private Group group(String name, long offset, TopicId id) {
    MapGroupOffsets offsets = new MapGroupOffsets(source, clock);
    offsets.put(name, PARTITION, offset, id);
    return offsets.group(name).orElseThrow();
  }

  private void compare(ResetTarget target, OptionalLong before, boolean stale) {
    Group group =
        before.isPresent() ? group("g", before.getAsLong(), stale ? OLD_ID : ID) : Group.empty("g");
    PlannedReset answer =
        planner
            .plan(
                new ResetRequest(group, List.of(PARTITION), true, target, isolation),
                source,
                Cancellation.NONE,
                (partition, fault) -> {
                  throw fault;
                })
            .get(0);
    Expected found = Expected.of(answer, clock.millis());
    Expected expected = expected(target, stale ? OptionalLong.empty() : before);
    if (!found.equals(expected) || !bounds.equals(answer.bounds())) {
      throw new AssertionError(
          target
              + " from "
              + before
              + " stale="
              + stale
              + " "
              + isolation
              + "\n  expected "
              + expected
              + "\n  found    "
              + found
              + "\n  bounds   "
              + bounds);
    }
  }

  /** What can be told by brute force of a planned reset; the numbers are absent where null. */
  private record Expected(
      PlanOutcome outcome,
      @Nullable Long planned,
      @Nullable RecordStamp record,
      @Nullable Long skipped,
      @Nullable Long replayed,
      @Nullable Long distanceMs,
      boolean warnsOfFuture) {

    static Expected of(PlannedReset answer, long nowMs) {
      PlannedOffset planned = answer.planned();
      ResetEffect effect = answer.effect();
      OptionalLong distance = answer.timeDistanceMs();
      return new Expected(
          answer.outcome(),
          planned == null ? null : planned.offset(),
          planned == null ? null : planned.record(),
          effect == null ? null : effect.recordsSkipped(),
          effect == null ? null : effect.recordsReplayed(),
          distance.isPresent() ? distance.getAsLong() : null,
          answer.warnings().stream().anyMatch(warning -> warning.contains("future")));
    }
  }

  private Expected expected(ResetTarget target, OptionalLong before) {
    Optional<BigInteger> ideal = ideal(target, before);
    if (ideal.isEmpty() && isSkipped(target, before)) {
      return new Expected(PlanOutcome.SKIP, null, null, null, null, null, false);
    }
    BigInteger start = BigInteger.valueOf(bounds.logStartOffset());
    BigInteger end = BigInteger.valueOf(bounds.endOffset());
    BigInteger wanted = ideal.orElse(end);
    boolean free = target instanceof ResetTarget.Current;
    long planned = (free ? wanted : wanted.max(start).min(end)).longValueExact();
    boolean fallback = ideal.isEmpty() || !wanted.equals(BigInteger.valueOf(planned));
    PlanOutcome outcome =
        before.equals(OptionalLong.of(planned))
            ? PlanOutcome.UNCHANGED
            : fallback ? PlanOutcome.FALLBACK : PlanOutcome.MOVE;
    Optional<OracleRecord> record = next(planned);
    Optional<OracleRecord> unread = before.isPresent() ? next(before.getAsLong()) : record;
    boolean timed =
        record.filter(OracleRecord::isTimed).isPresent()
            && unread.filter(OracleRecord::isTimed).isPresent()
            && before.isPresent();
    return new Expected(
        outcome,
        planned,
        record.map(OracleRecord::stamp).orElse(null),
        before.isPresent() ? count(before.getAsLong(), planned) : null,
        before.isPresent() ? count(planned, before.getAsLong()) : null,
        timed ? record.get().timestampMs() - unread.get().timestampMs() : null,
        record.filter(r -> r.timestampMs() > clock.millis()).isPresent());
  }

  /** Where the target leads if the log had no bounds; nothing if it leads nowhere. */
  private Optional<BigInteger> ideal(ResetTarget target, OptionalLong before) {
    Optional<BigInteger> committed =
        before.isPresent() ? Optional.of(BigInteger.valueOf(before.getAsLong())) : Optional.empty();
    if (target instanceof ResetTarget.AtOrAfter time) {
      return first(
          visible.stream()
              .filter(r -> r.isTimed() && r.timestampMs() >= time.targetTimestampMs())
              .findFirst());
    } else if (target instanceof ResetTarget.Earliest) {
      return Optional.of(BigInteger.valueOf(bounds.logStartOffset()));
    } else if (target instanceof ResetTarget.Latest) {
      return Optional.of(BigInteger.valueOf(bounds.endOffset()));
    } else if (target instanceof ResetTarget.MaxTimestamp) {
      // Of equal ones the first is the minimum in the reverse order.
      return first(
          visible.stream()
              .filter(OracleRecord::isTimed)
              .min(Comparator.comparingLong(OracleRecord::timestampMs).reversed()));
    } else if (target instanceof ResetTarget.Offset given) {
      return Optional.of(BigInteger.valueOf(given.offset()));
    } else if (target instanceof ResetTarget.ShiftBy shift) {
      return committed.map(offset -> offset.add(BigInteger.valueOf(shift.distance())));
    } else if (target instanceof ResetTarget.Current) {
      return committed;
    } else if (target instanceof ResetTarget.OfGroup other) {
      return other
          .group()
          .offset(PARTITION)
          .filter(offset -> offset.topicId().equals(Optional.of(ID)))
          .map(offset -> BigInteger.valueOf(offset.nextOffset()));
    }
    long listed = Objects.requireNonNull(((ResetTarget.Offsets) target).offsets().get(PARTITION));
    return Optional.of(BigInteger.valueOf(listed));
  }

  private static Optional<BigInteger> first(Optional<OracleRecord> record) {
    return record.map(r -> BigInteger.valueOf(r.offset()));
  }

  private static boolean isSkipped(ResetTarget target, OptionalLong before) {
    return target instanceof ResetTarget.OfGroup
        || (before.isEmpty()
            && (target instanceof ResetTarget.ShiftBy || target instanceof ResetTarget.Current));
  }

  private Optional<OracleRecord> next(long offset) {
    return visible.stream().filter(r -> r.offset() >= offset).findFirst();
  }

  private long count(long from, long to) {
    return visible.stream().filter(r -> from <= r.offset() && r.offset() < to).count();
  }
}
