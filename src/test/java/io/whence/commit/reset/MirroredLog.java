package io.whence.commit.reset;

import io.whence.commit.Group;
import io.whence.commit.MapGroupOffsets;
import io.whence.log.LogSnapshot;
import io.whence.log.TestLogs;
import io.whence.model.Cancellation;
import io.whence.model.IsolationLevel;
import io.whence.model.LogBounds;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import io.whence.resolve.LogResolver;
import io.whence.resolve.RandomLog;
import io.whence.resolve.WrittenLog;
import io.whence.testkit.Directories;
import io.whence.testkit.ManualClock;
import io.whence.testkit.OracleRecord;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;

/**
 * A log, and another one that has some of its records and some others, in another order. Asks for
 * plans, and works out every answer again by looking at every record. Thread safety: single-writer.
 */
final class MirroredLog implements AutoCloseable {
  private static final int COMMITS = 12;
  private static final TopicPartition PARTITION = new TopicPartition("t", 0);
  private static final TopicId ID = new TopicId(new UUID(0, 1));

  private final Path directory = Directories.temporary("whence-mirror");
  private final FixedLogs here = new FixedLogs();
  private final FixedLogs there = new FixedLogs();
  private final ManualClock clock = new ManualClock(0);
  private final ResetPlanner planner = new ResetPlanner(new LogResolver(), clock);
  private final IsolationLevel isolation;
  private final Random random;
  private final RandomLog log;
  private final TestLogs.Loaded mirror;
  private final long mirrorStart;

  /** The offsets here of records there; of those that are mirrored. */
  private final Map<OracleRecord, Long> mirrored = new HashMap<>();

  /** The timestamps here, by offset. */
  private final Map<Long, Long> times = new HashMap<>();

  private long mirrorEnd;

  MirroredLog(RandomLog log, LogSnapshot snapshot, IsolationLevel isolation, long seed) {
    this.log = log;
    this.isolation = isolation;
    random = new Random(seed ^ isolation.ordinal());
    there.put(PARTITION, snapshot, ID);
    List<String> records = records();
    mirrorStart = random.nextInt(4) == 0 ? random.nextLong(mirrorEnd + 1) : 0;
    mirror =
        new WrittenLog(directory)
            .startingAt(mirrorStart)
            .indexIntervalBytes(1 + random.nextInt(200))
            .write(String.join("", records))
            .load();
    here.put(PARTITION, mirror.log(), ID);
  }

  /** Makes the other log in the notation of {@link WrittenLog}; offsets have gaps. */
  private List<String> records() {
    List<Optional<OracleRecord>> order = new ArrayList<>();
    double kept = random.nextDouble();
    for (OracleRecord record : log.oracle().visible(IsolationLevel.READ_UNCOMMITTED)) {
      if (random.nextDouble() < kept) {
        order.add(Optional.of(record));
      }
      if (random.nextInt(8) == 0) {
        order.add(Optional.empty());
      }
    }
    if (random.nextBoolean()) {
      Collections.shuffle(order, random);
    }
    List<String> records = new ArrayList<>();
    long[] known = log.distinctTimestamps();
    for (Optional<OracleRecord> record : order) {
      long offset = mirrorEnd + random.nextInt(3);
      long any = known.length == 0 ? 5 : known[random.nextInt(known.length)];
      long time = Math.max(-1, record.map(OracleRecord::timestampMs).orElse(any));
      boolean newBatch = records.isEmpty() || random.nextInt(4) == 0;
      records.add((records.isEmpty() ? "" : newBatch ? " | " : " ") + offset + ":" + time);
      record.ifPresent(from -> mirrored.put(from, offset));
      times.put(offset, time);
      mirrorEnd = offset + 1;
    }
    return records;
  }

  /** Asks and compares; returns how many plans there were. */
  long askAll() {
    LogBounds bounds = log.oracle().bounds(IsolationLevel.READ_UNCOMMITTED);
    long length = Math.min(bounds.endOffset() - bounds.logStartOffset(), 1 << 20);
    for (int i = 0; i < COMMITS; i++) {
      ask(Math.max(0, bounds.logStartOffset() - 2 + random.nextInt((int) length + 5)));
    }
    ask(bounds.endOffset());
    return COMMITS + 1;
  }

  private void ask(long committed) {
    MapGroupOffsets offsets = new MapGroupOffsets(there, clock);
    offsets.put("g", PARTITION, committed, ID);
    ResetTarget target = new ResetTarget.OfSourceGroup(there, offsets.group("g").orElseThrow());
    PlannedReset plan =
        planner
            .plan(
                new ResetRequest(Group.empty("g"), List.of(PARTITION), true, target, isolation),
                here,
                Cancellation.NONE,
                (partition, fault) -> {
                  throw fault;
                })
            .get(0);
    List<OracleRecord> unread = unread(committed);
    String what = committed + " " + isolation + " " + plan;
    if (plan.planned() == null) {
      throw new AssertionError("no offset: " + what);
    }
    long planned = plan.planned().offset();
    for (OracleRecord record : unread) {
      Long offset = mirrored.get(record);
      if (offset != null && offset >= mirrorStart && offset < planned) {
        throw new AssertionError(record + " is skipped at " + offset + ": " + what);
      }
    }
    requireNoMoreReplayedThanNeeded(committed, unread, plan, what);
  }

  /** Also what transactions have not decided is yet to be read. */
  private List<OracleRecord> unread(long committed) {
    long stable = log.oracle().bounds(isolation).endOffset();
    List<OracleRecord> unread = new ArrayList<>(log.oracle().visible(isolation).stream().toList());
    log.oracle().visible(IsolationLevel.READ_UNCOMMITTED).stream()
        .filter(record -> record.offset() >= stable)
        .forEach(unread::add);
    unread.removeIf(record -> record.offset() < committed);
    return unread;
  }

  private void requireNoMoreReplayedThanNeeded(
      long committed, List<OracleRecord> unread, PlannedReset plan, String what) {
    LogBounds bounds = log.oracle().bounds(IsolationLevel.READ_UNCOMMITTED);
    Optional<OracleRecord> last =
        log.oracle().visible(IsolationLevel.READ_UNCOMMITTED).stream()
            .filter(OracleRecord::isTimed)
            .max(Comparator.comparingLong(OracleRecord::offset));
    boolean inside = committed >= bounds.logStartOffset() && committed <= bounds.endOffset();
    boolean provable = unread.isEmpty() ? last.isPresent() : untimed(unread) == 0;
    if (!inside || !provable) {
      require(plan.outcome() == PlanOutcome.FALLBACK, "needs a yes: " + what);
      return;
    }
    long from =
        unread.isEmpty()
            ? last.get().timestampMs()
            : unread.stream().mapToLong(OracleRecord::timestampMs).min().orElseThrow();
    Optional<Long> first =
        times.keySet().stream()
            .filter(offset -> offset >= mirrorStart && times.get(offset) >= from)
            .min(Comparator.naturalOrder());
    if (first.isPresent()) {
      require(plan.outcome() == PlanOutcome.MOVE, "can be proven: " + what);
      require(plan.planned().offset() == first.get(), "expected " + first.get() + ": " + what);
    }
  }

  private static long untimed(List<OracleRecord> records) {
    return records.stream().filter(record -> !record.isTimed()).count();
  }

  private static void require(boolean condition, String what) {
    if (!condition) {
      throw new AssertionError(what);
    }
  }

  @Override
  public void close() {
    mirror.close();
    Directories.delete(directory);
  }
}
