package io.whence.resolve;

import io.whence.model.TimestampType;
import io.whence.record.CompressionCodec;
import io.whence.record.SourceRecord;
import io.whence.testkit.BatchBuilder;
import io.whence.testkit.OracleRecord;
import io.whence.testkit.OracleRecord.Kind;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * Makes up one log, with all that Kafka may leave in one. What it knows about a record comes from
 * what it meant to write, never from reading it. Thread safety: single-writer; one a log.
 */
final class RandomLogGenerator {
  private static final long[] FIRST_OFFSETS = {0, 0, 0, 1, 1000, (1L << 31) - 3, 1L << 40};
  private static final int[] INTERVALS = {0, 1, 60, 100, 150, 300, 700, 4096};

  private final Random random;
  private final RandomTimes times;

  /** Whether each batch becomes a block and there are many, so that searches pass over groups. */
  private final boolean dense;

  private final int recordLimit;
  private final int batchLimit;
  private final boolean compacted;
  private final int transactionalPercent;
  private final int logAppendTimePercent;
  private final int rollPercent;

  private final List<RandomLog.Segment> segments = new ArrayList<>();
  private final List<OracleRecord> records = new ArrayList<>();

  /** By producer: where its open transaction begins. */
  private final Map<Long, Long> openTransactions = new TreeMap<>();

  /** By producer: the places of the records of its open transaction. */
  private final Map<Long, List<Integer>> undecided = new TreeMap<>();

  private boolean transactional;
  private long nextOffset;
  private int leaderEpoch;

  RandomLogGenerator(long seed) {
    this.random = new Random(seed);
    this.times = new RandomTimes(random);
    this.dense = random.nextInt(40) == 0;
    this.recordLimit = dense ? 100 + random.nextInt(300) : recordLimit();
    this.batchLimit = dense ? 1 : 1 + random.nextInt(random.nextBoolean() ? 3 : 24);
    this.compacted = random.nextInt(3) == 0;
    this.transactionalPercent = random.nextInt(3) == 0 ? 10 + random.nextInt(60) : 0;
    this.logAppendTimePercent = random.nextInt(4) == 0 ? random.nextInt(101) : 0;
    this.rollPercent = dense || random.nextInt(3) == 0 ? 0 : 2 + random.nextInt(20);
    this.nextOffset = FIRST_OFFSETS[random.nextInt(FIRST_OFFSETS.length)];
    this.leaderEpoch = random.nextInt(5) - 1;
  }

  private int recordLimit() {
    int size = random.nextInt(1000);
    if (size < 400) {
      return random.nextInt(10);
    }
    return random.nextInt(size < 850 ? 40 : size < 970 ? 150 : size < 995 ? 500 : 2001);
  }

  RandomLog generate() {
    segments.add(new RandomLog.Segment(nextOffset));
    if (compacted && recordLimit > 0) {
      nextOffset += random.nextInt(3);
    }
    while (records.size() < recordLimit && segments.size() <= 8) {
      maybeRoll();
      addSomething();
    }
    endTransactions();
    if (random.nextInt(5) == 0) {
      segments.add(new RandomLog.Segment(nextOffset)); // Just rolled; may equal the one before.
      removeTwin();
    }
    return log();
  }

  private RandomLog log() {
    long firstOffset = segments.get(0).baseOffset();
    long highWatermark =
        transactional || random.nextInt(4) > 0 ? nextOffset : between(firstOffset, nextOffset);
    long logStartOffset =
        switch (random.nextInt(6)) {
          case 0, 1 -> between(firstOffset, highWatermark);
          case 2 -> random.nextInt(4) == 0 ? highWatermark : firstOffset;
          case 3 -> Math.max(0, firstOffset - 1);
          default -> firstOffset;
        };
    long firstOpen =
        openTransactions.values().stream().mapToLong(Long::longValue).min().orElse(highWatermark);
    int interval = dense ? 1 : INTERVALS[random.nextInt(INTERVALS.length)];
    return new RandomLog(
        segments, records, logStartOffset, nextOffset, highWatermark, firstOpen, interval);
  }

  private long between(long low, long high) {
    return low + random.nextInt((int) Math.min(Integer.MAX_VALUE, high - low + 1));
  }

  private void maybeRoll() {
    if (random.nextInt(100) >= rollPercent) {
      return;
    }
    if (compacted && random.nextInt(3) == 0) {
      nextOffset += random.nextInt(5);
    }
    segments.add(new RandomLog.Segment(nextOffset));
    removeTwin();
    if (random.nextInt(4) == 0) {
      addMarkersOnly();
    }
  }

  private void removeTwin() {
    int last = segments.size() - 1;
    if (last > 0 && segments.get(last - 1).baseOffset() == segments.get(last).baseOffset()) {
      segments.remove(last);
    }
  }

  private void addMarkersOnly() {
    int count = 1 + random.nextInt(2);
    for (int i = 0; i < count; i++) {
      addMarker(7 + random.nextInt(3));
    }
    nextOffset += compacted ? random.nextInt(3) : 0;
    segments.add(new RandomLog.Segment(nextOffset));
  }

  private void addSomething() {
    if (random.nextInt(10) == 0) {
      leaderEpoch += random.nextInt(3);
    }
    if (compacted && random.nextInt(4) == 0) {
      nextOffset += random.nextInt(6);
    }
    boolean inTransaction = random.nextInt(100) < transactionalPercent;
    if (inTransaction && random.nextInt(3) == 0) {
      addMarker(7 + random.nextInt(3));
    } else if (random.nextInt(40) == 0) {
      addOtherControl();
    } else if (compacted && random.nextInt(5) == 0) {
      addEmptied(inTransaction);
    } else {
      addData(inTransaction);
    }
  }

  private void addData(boolean inTransaction) {
    BatchBuilder batch = BatchBuilder.batch(nextOffset);
    StringBuilder text = new StringBuilder();
    long producer = inTransaction ? beginBatch(batch, text) : -1;
    boolean logAppendTime = random.nextInt(100) < logAppendTimePercent;
    long appendTimeMs = logAppendTime ? Math.max(0, times.next()) : -1;
    int delta = compacted ? random.nextInt(3) : 0;
    int count = 1 + random.nextInt(batchLimit);
    long largestMs = -1;
    for (int i = 0; i < count; i++) {
      long nextMs = logAppendTime ? times.unrelated() : times.next();
      // Of all negative times, a header can only have -1 for its base.
      long timestampMs = i == 0 ? Math.max(-1, nextMs) : nextMs;
      addRecord(batch, delta, timestampMs);
      long storedMs = logAppendTime ? appendTimeMs : timestampMs;
      note(nextOffset + delta, storedMs, logAppendTime, producer, text);
      largestMs = Math.max(largestMs, storedMs);
      delta += 1 + (compacted && random.nextInt(4) == 0 ? random.nextInt(4) : 0);
    }
    int lastDelta = compacted && random.nextInt(4) == 0 ? delta + random.nextInt(4) : delta - 1;
    batch.lastOffsetDelta(lastDelta);
    dress(batch, text, appendTimeMs, largestMs);
    append(batch, lastDelta, text);
  }

  private void addRecord(BatchBuilder batch, int delta, long timestampMs) {
    if (random.nextInt(30) == 0) {
      byte[] value = new byte[random.nextInt(3000)];
      batch.recordAt(delta, new SourceRecord(timestampMs, null, value, List.of()));
    } else {
      batch.recordAt(delta, timestampMs);
    }
  }

  private void note(
      long offset, long timestampMs, boolean logAppendTime, long producer, StringBuilder text) {
    TimestampType type = logAppendTime ? TimestampType.LOG_APPEND_TIME : TimestampType.CREATE_TIME;
    if (producer >= 0) {
      undecided.computeIfAbsent(producer, id -> new ArrayList<>()).add(records.size());
    }
    records.add(new OracleRecord(offset, timestampMs, type, leaderEpoch, Kind.DATA));
    text.append(offset).append(':').append(timestampMs).append(' ');
  }

  /** Gives a batch all that must not matter. */
  private void dress(BatchBuilder batch, StringBuilder text, long appendTimeMs, long largestMs) {
    if (random.nextInt(5) < 2) {
      CompressionCodec codec = CompressionCodec.values()[random.nextInt(5)];
      batch.codec(codec);
      text.append(codec).append(' ');
    }
    if (appendTimeMs >= 0) {
      batch.logAppendTime(appendTimeMs);
      text.append("appended=").append(appendTimeMs).append(' ');
    } else if (compacted && largestMs < Long.MAX_VALUE - 10 && random.nextInt(4) == 0) {
      batch.maxTimestamp(largestMs + random.nextInt(10));
      text.append("headerMax>=").append(largestMs).append(' ');
    }
    if (compacted && random.nextInt(6) == 0) {
      long horizonMs = times.unrelated();
      batch.deleteHorizon(horizonMs);
      text.append("horizon=").append(horizonMs).append(' ');
    }
    batch.leaderEpoch(leaderEpoch);
  }

  private void addEmptied(boolean inTransaction) {
    int lastDelta = random.nextInt(6);
    StringBuilder text = new StringBuilder("emptied ");
    BatchBuilder batch = BatchBuilder.batch(nextOffset).lastOffsetDelta(lastDelta);
    if (inTransaction) {
      beginBatch(batch, text);
    }
    batch.maxTimestamp(times.unrelated()).leaderEpoch(leaderEpoch);
    append(batch, lastDelta, text);
  }

  private long beginBatch(BatchBuilder batch, StringBuilder text) {
    long producer = 7 + random.nextInt(3);
    transactional = true;
    openTransactions.putIfAbsent(producer, nextOffset);
    batch.producer(producer, 0).transactional();
    text.append('p').append(producer).append(' ');
    return producer;
  }

  private void addMarker(long producer) {
    boolean commits = random.nextBoolean();
    long timestampMs = times.unrelated();
    byte[] bytes =
        commits
            ? BatchBuilder.commit(nextOffset, producer, 0, timestampMs)
            : BatchBuilder.abort(nextOffset, producer, 0, timestampMs);
    transactional = true;
    decide(producer, commits ? Kind.DATA : Kind.ABORTED);
    openTransactions.remove(producer);
    addControl(bytes, (commits ? "commit p" : "abort p") + producer, timestampMs);
  }

  private void addOtherControl() {
    if (random.nextBoolean()) {
      // A marker that compaction emptied says nothing any more.
      long producer = openTransactions.containsKey(7L) ? 99 : 7;
      BatchBuilder batch =
          BatchBuilder.batch(nextOffset).producer(producer, 0).transactional().control();
      append(batch.maxTimestamp(times.unrelated()), 0, new StringBuilder("emptied marker"));
      return;
    }
    long timestampMs = times.unrelated();
    byte[] leaderChange = {0, 0, 0, 2};
    SourceRecord record = new SourceRecord(timestampMs, leaderChange, new byte[4], List.of());
    byte[] bytes = BatchBuilder.batch(nextOffset).control().record(record).build();
    addControl(bytes, "leader change", timestampMs);
  }

  private void addControl(byte[] bytes, String text, long timestampMs) {
    records.add(new OracleRecord(nextOffset, timestampMs, 0, Kind.CONTROL));
    RandomLog.Batch batch = new RandomLog.Batch(bytes, nextOffset + " " + text + " " + timestampMs);
    segments.get(segments.size() - 1).batches().add(batch);
    nextOffset++;
  }

  private void append(BatchBuilder batch, int lastDelta, StringBuilder text) {
    String line = nextOffset + ".." + (nextOffset + lastDelta) + " epoch=" + leaderEpoch + " ";
    byte[] bytes = batch.build();
    segments.get(segments.size() - 1).batches().add(new RandomLog.Batch(bytes, line + text));
    nextOffset += lastDelta + 1;
  }

  private void decide(long producer, Kind kind) {
    List<Integer> places = undecided.remove(producer);
    for (int place : places == null ? List.<Integer>of() : places) {
      OracleRecord old = records.get(place);
      records.set(
          place,
          new OracleRecord(
              old.offset(), old.timestampMs(), old.timestampType(), old.leaderEpoch(), kind));
    }
  }

  private void endTransactions() {
    Iterator<Long> producers = List.copyOf(openTransactions.keySet()).iterator();
    while (producers.hasNext()) {
      long producer = producers.next();
      if (random.nextInt(4) > 0) {
        addMarker(producer);
      } else {
        decide(producer, Kind.OPEN_TXN);
      }
    }
  }
}
